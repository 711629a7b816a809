// Stages of devices of several types: how the samples are divided, how long the replicas take and
// what memory Metis thinks they need. Each is worked out once.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "planner/metis/search_tables.h"

namespace npunet::planner::metis {

/// Profiles one after the other, in parts: of replicas, largest power of two first.
struct ProfileParts {
    std::vector<const Profile*> profiles;
    std::vector<std::uint32_t> ends;  ///< of the parts
};

struct MixedStage {
    double performance = 0;   ///< 1 / the time of the slowest replica
    ProfileParts replicas;    ///< those that differ and have samples
    bool unprofiled = false;  ///< a part of the samples is beyond the largest profiled batch
    bool has_fb_sync = false;
    double fb_sync = 0;  ///< ms, the largest of the types
};

class MixedStages {
public:
    /// The tables must outlive this.
    explicit MixedStages(const SearchTables& tables) : tables_(&tables) {}

    /// Of ranks `first` to before `end` of a node sequence, `batches` the number of a number of
    /// micro-batches. Throws InputError for a profile that is missing.
    const MixedStage& stage(std::size_t sequence, std::int64_t first, std::int64_t end,
                            std::size_t batches, std::size_t log_dp);

    /// The profiles whose memory Metis adds up, with the samples divided as among all devices.
    const std::vector<const Profile*>& memory(std::size_t sequence, std::size_t batches,
                                              std::size_t log_dp, std::size_t log_tp);

    /// References from before are no longer good.
    void forget_if_large();

private:
    [[nodiscard]] std::unique_ptr<MixedStage> made(const TypeBlocks& ranks, std::int64_t first,
                                                   std::int64_t end, std::size_t batches,
                                                   std::size_t log_dp) const;
    [[nodiscard]] std::vector<std::int64_t> shares(const TypeBlocks& ranks, std::int64_t first,
                                                   std::int64_t step, std::size_t batches,
                                                   std::size_t log_dp, std::size_t log_tp) const;

    const SearchTables* tables_;
    std::unordered_map<std::uint64_t, std::unique_ptr<MixedStage>> stages_;
    std::unordered_map<std::uint64_t, std::vector<const Profile*>> memory_;
};

/// How Metis divides the samples of a micro-batch among replicas of unequal speed: 8 at speeds 2
/// and 1 as 5 and 3. Shares of `samples` in proportion to the speeds, rounded down, the rest one
/// each to those with the largest fractions; the first of equals. Bit for bit as the original
/// computes them.
[[nodiscard]] std::vector<std::int64_t> balance(const std::vector<double>& speeds,
                                                std::int64_t samples);

}  // namespace npunet::planner::metis

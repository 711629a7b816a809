// The channels of PAT (parallel aggregated trees), which gathers or reduces and scatters among
// nodes of one GPU: as many exchanges as n - 1 has binary digits, each over twice or half the
// distance of the one before, in which all chunks that go to the same peer go together.
//
// An all-gather begins with the longest distance. Before an exchange over distance d a member has
// the chunks of those that are multiples of 2 d before it; it sends them to the member that is d
// after it, where that is less than n after their owners: one chunk in the first exchange, n / 2 in
// the last. A reduce-scatter is the same backwards: n / 2 sums over distance 1 first, one over the
// longest distance last.
//
// Call c of a loop sends exchange c and receives exchange c - 1. What an exchange sends together
// counts as one slice, however long.
//
// Source: NCCL 2.23 and later, src/include/collectives.h, src/device/all_gather.h,
// reduce_scatter.h; Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", 1997. Not validated against measurements.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collective_library/library_schedule.h"

namespace npunet::engine {

/// The distances of its exchanges among `members` (at least two), in order.
[[nodiscard]] std::vector<std::int32_t> pat_distances(CollectiveKind kind, std::int32_t members);

/// Chunks in the exchange over a distance: over all distances n - 1.
[[nodiscard]] std::int32_t pat_chunks(std::int32_t distance, std::int32_t members);

class PatSchedule final : public LibrarySchedule {
public:
    PatSchedule(const LibraryCall& call, const ChannelTiming& timing,
                std::vector<std::int32_t> node_of_member);

    [[nodiscard]] std::vector<BlockEnd> sends_to(std::size_t member,
                                                 std::int32_t block) const override;
    [[nodiscard]] std::vector<BlockEnd> receives_from(std::size_t member,
                                                      std::int32_t block) const override;
    [[nodiscard]] bool receives(std::int32_t call) const override { return call > 0; }
    [[nodiscard]] bool sends(std::int32_t call) const override { return call + 1 < calls(); }
    [[nodiscard]] std::int32_t connection_in(std::int32_t call) const override { return call - 1; }
    [[nodiscard]] std::int32_t connection_out(std::int32_t call) const override { return call; }
    [[nodiscard]] Bytes bytes(std::size_t member, std::int32_t block,
                              const SliceCursor& cursor) const override;

private:
    /// The members at the distances of the exchanges: those after it, or those before it.
    [[nodiscard]] std::vector<BlockEnd> peers(std::size_t member, std::int32_t block,
                                              bool after) const;

    std::int64_t size_;
    std::int32_t members_;
    bool gathers_;
    std::vector<std::int32_t> distances_;
};

}  // namespace npunet::engine

// How fast collectives were: achieved bandwidth by type, group and size.
//
// A kernel of a collective begins when its rank arrives and ends when the data has moved, so that
// its duration contains the wait for the others. The one that arrives last waits least: the
// shortest duration among a collective's ranks is taken for the transfer, which needs no common
// clock.
//
// Bus bandwidth is NCCL's (nccl-tests, doc/PERFORMANCE.md): bytes by time, times 2 (n - 1) / n for
// an all-reduce, (n - 1) / n for all-gather, reduce-scatter and all-to-all (bytes being the whole
// buffer: of an all-gather the result), 1 for broadcast, reduce, send and receive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/kernel_classes.h"
#include "analysis/time_spans.h"

namespace npunet::analysis {

struct CollectiveRun;
struct RankProfile;

/// One kernel of communication as a row; its type by the arguments, else by the kernel's name.
[[nodiscard]] CollectiveRun collective_run(const EventTable& trace, const ClassifiedKernel& kernel,
                                           const TimeSpan& span);

/// What of a collective several ranks have run: by index into their RankProfile::collectives.
struct MatchedCollective {
    struct Part {
        std::size_t rank = 0;  ///< index of the RankProfile
        std::size_t run = 0;
    };
    std::vector<Part> parts;  ///< by rank
};

/// Matches collectives of one iteration: of each group (type and ranks) the k-th with the k-th,
/// from the end where ranks have unequal numbers of them.
[[nodiscard]] std::vector<MatchedCollective> match_collectives(
    const std::vector<const RankProfile*>& ranks);

struct CollectiveSpeed {
    std::string type;
    ParallelDimension dimension = ParallelDimension::Unknown;
    std::int64_t group_size = 0;
    std::int64_t bytes = 0;
    std::uint64_t count = 0;
    bool all_ranks = true;         ///< every member of every one was profiled
    std::int64_t transfer_ns = 0;  ///< median over the collectives of the shortest duration
    std::int64_t duration_ns = 0;  ///< median over all kernels, waits included
    double bus_GBps = 0;           ///< of the median transfer
};

/// By type, dimension, group size and bytes; of those whose bytes and group size are known.
[[nodiscard]] std::vector<CollectiveSpeed> collective_speeds(
    const std::vector<const RankProfile*>& ranks, const std::vector<MatchedCollective>& matched);

}  // namespace npunet::analysis

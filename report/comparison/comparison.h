// The same workload at several fidelities, side by side: how far the quick estimate is off, in
// which classes of NPUs, in which collectives, and on which links.
//
//     std::vector<engine::Results> runs{analytical, packet};
//     report::Comparison comparison = report::compare(runs);
//     comparison.ratio;                  // 1.07: the packet run takes 7 % longer
//
// Every ratio is a figure of the most detailed run divided by that of the least detailed one
// (analytical < congestion-aware < fluid < packet), whatever order the runs come in; it is not a
// number when the divisor is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/results/results.h"

namespace npunet::report {

struct ClassComparison {
    std::int32_t number = 0;
    std::vector<Rank> ranks;
    /// The slowest NPU of the class in each run (report/results/npu_summary.h).
    std::vector<const engine::NpuResult*> slowest;
    double ratio = 0;  ///< of their finish
};

/// The collectives of one type in one run.
struct CollectiveTotal {
    std::int64_t count = 0;
    /// Sum of end - first_start in picoseconds: from the first rank that enters to the last that
    /// leaves, so time spent waiting for late ranks is in it.
    double total_ps = 0;
};

struct CollectiveComparison {
    std::string type;
    std::vector<CollectiveTotal> runs;
    double ratio = 0;  ///< of the sums
};

struct LinkComparison {
    /// The link in each run; null where that run has no such link.
    std::vector<const engine::LinkResult*> runs;
};

struct Comparison {
    std::size_t least_detailed = 0;                 ///< position of the divisor's run
    std::size_t most_detailed = 0;                  ///< position of the dividend's run
    std::vector<std::size_t> by_detail;             ///< positions of all runs, from least to most
    double ratio = 0;                               ///< of the runs' finish
    std::vector<ClassComparison> classes;           ///< by number
    std::vector<CollectiveComparison> collectives;  ///< by type
    std::vector<LinkComparison> hot_links;          ///< of the most detailed run, most loaded first
};

/// Compares two or more runs of one workload on one network; pointers are into `runs`. Of equal or
/// unknown fidelities the first is the least and the last the most detailed.
[[nodiscard]] Comparison compare(const std::vector<engine::Results>& runs,
                                 std::size_t most_links = 10);

/// finish(more) / finish(less); not a number when the latter is 0.
[[nodiscard]] double finish_ratio(const engine::Results& more, const engine::Results& less);

}  // namespace npunet::report

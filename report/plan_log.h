// The log of a search that the program beside Metis writes, which scripts take figures from: the
// second line has the number of steps behind a blank, and the fourth the least cost between its
// first two commas.
//
//     average time: 1.25 ms
//     count: 612
//     rank, cost, node_sequence, device_groups, strategies(dp_deg, tp_deg), ...
//     1, 1793.600994348526, (A100, V100), [32], [(1, 32)], 1, [0, 10]
#pragma once

#include <cstdint>
#include <ostream>

#include "report/ranked_plans.h"

namespace npunet::report {

class PlanLog {
public:
    /// Writes the first three lines. `out` must outlive this.
    PlanLog(std::ostream& out, double average_ms, std::uint64_t steps);

    /// The line of the next plan, best first.
    void add(const RankedPlan& plan);

private:
    std::ostream& out_;
    std::uint64_t rank_ = 0;
};

}  // namespace npunet::report

// Ranked plans for people, as a table, and for programs: JSON, CSV (docs/planner.md) and the log
// of Metis.
//
//     context.out << report::plan_table(ranked);
//     context.out << report::plans_json(ranked);
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "report/plans/ranked_plans.h"

namespace npunet::report {

/// One row a plan, below it why the first is before the second, and the notes; with the stages of
/// the first plan in detail where they are known, and a column of simulated times where there are
/// some. Of consecutive equal stages one is written, with their number: "2*16" are two stages of 16
/// devices each, "2*16x1" two stages with dp 16 and tp 1.
[[nodiscard]] std::string plan_table(const RankedPlans& ranked);

/// "2*16 8": equal neighbours counted.
[[nodiscard]] std::string runs_of(const std::vector<std::string>& items);

/// One document, ended by a line feed. Floating-point numbers are the shortest that read back as
/// the same double.
[[nodiscard]] std::string plans_json(const RankedPlans& ranked);

/// A heading and a row a plan. Of lists the entries stand in one field, separated by blanks; dp and
/// tp of a stage as "16x1".
[[nodiscard]] std::string plans_csv(const RankedPlans& ranked);

/// The log of a search that the program beside Metis writes, which scripts take figures from: the
/// second line has the number of steps behind a blank, and the fourth the least cost between its
/// first two commas.
///
///     average time: 1.25 ms
///     count: 612
///     rank, cost, node_sequence, device_groups, strategies(dp_deg, tp_deg), ...
///     1, 1793.600994348526, (A100, V100), [32], [(1, 32)], 1, [0, 10]
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

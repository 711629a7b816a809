// Ranked plans for people: one row a plan, below it why the first is before the second, and the
// notes.
//
//     context.out << report::plan_table(ranked);
//
// Of consecutive equal stages one is written, with their number: "2*16" are two stages of 16
// devices each, "2*16x1" two stages with dp 16 and tp 1.
#pragma once

#include <string>
#include <vector>

#include "report/ranked_plans.h"

namespace npunet::report {

/// With the stages of the first plan in detail where they are known, and a column of simulated
/// times where there are some.
[[nodiscard]] std::string plan_table(const RankedPlans& ranked);

/// "2*16 8": equal neighbours counted.
[[nodiscard]] std::string runs_of(const std::vector<std::string>& items);

}  // namespace npunet::report

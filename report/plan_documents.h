// Ranked plans for programs: JSON and CSV (docs/planner.md).
//
//     context.out << report::plans_json(ranked);
//
// Floating-point numbers are the shortest that read back as the same double.
#pragma once

#include <string>

#include "report/ranked_plans.h"

namespace npunet::report {

/// One document, ended by a line feed.
[[nodiscard]] std::string plans_json(const RankedPlans& ranked);

/// A heading and a row a plan. Of lists the entries stand in one field, separated by blanks; dp and
/// tp of a stage as "16x1".
[[nodiscard]] std::string plans_csv(const RankedPlans& ranked);

}  // namespace npunet::report

// Why two fidelities differ, as sections of a page: the parts of the difference, what is delayed,
// and the link contention.
//
//     page.add(gap_section(runs, why));
//     page.add(delays_section(why));
//
// The figures are those of docs/gap.md and of the JSON of `npunet compare`.
#pragma once

#include <vector>

#include "engine/results/results.h"
#include "report/comparison/gap.h"
#include "report/html/page.h"

namespace npunet::report {

/// The finish times, how the parts lead from one to the other, the effect levels, and what could
/// not be simulated. `runs` as compare() takes them.
[[nodiscard]] Section gap_section(const std::vector<engine::Results>& runs,
                                  const GapExplanation& why);

/// Every collective and message with its parts, sorted by own delay.
[[nodiscard]] Section delays_section(const GapExplanation& why);

/// The links on which contention arose.
[[nodiscard]] Section contention_section(const GapExplanation& why);

}  // namespace npunet::report

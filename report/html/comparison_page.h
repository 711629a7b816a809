// The page of `npunet compare`, report.html of its folder: first why the fidelities differ, then
// the runs side by side.
//
//     file.stream() << report::comparison_page(runs, why, inputs);
#pragma once

#include <string>
#include <vector>

#include "engine/results.h"
#include "report/gap.h"
#include "report/input_list.h"

namespace npunet::report {

/// `runs` as compare() takes them. The page refers to report.html in a folder for each fidelity.
[[nodiscard]] std::string comparison_page(const std::vector<engine::Results>& runs,
                                          const GapExplanation& why, const InputList& inputs);

}  // namespace npunet::report

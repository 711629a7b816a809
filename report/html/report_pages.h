// report.html of a results folder: what was simulated, where the time of the NPUs went,
// collectives, links; and that of `npunet compare`: why the fidelities differ, and the runs side by
// side.
//
//     AtomicFile file(folder / "report.html");
//     file.stream() << report::results_page(results, inputs);
//     file.commit();
//
// The same input gives the same page.
#pragma once

#include <string>
#include <vector>

#include "analysis/run_timeline.h"
#include "engine/results/job_results.h"
#include "engine/results/results.h"
#include "report/comparison/gap.h"
#include "report/results/input_list.h"

namespace npunet::report {

/// With the chart of the timeline, and the map of the links, where there are any.
[[nodiscard]] std::string results_page(const engine::Results& results,
                                       const analysis::RunTimeline& timeline,
                                       const InputList& inputs);
/// The same with the timeline of the results.
[[nodiscard]] std::string results_page(const engine::Results& results, const InputList& inputs);

/// Of a timeline alone, such as one that was measured.
[[nodiscard]] std::string timeline_page(const analysis::RunTimeline& timeline,
                                        const InputList& inputs);

/// Of several jobs: when each of them ran, and the links, which carry the messages of all.
[[nodiscard]] std::string results_page(const engine::JobsResults& results, const InputList& inputs);

/// Of one of them.
[[nodiscard]] std::string job_page(const engine::JobResult& job,
                                   const analysis::RunTimeline& timeline, const InputList& inputs);

/// Of `npunet compare`. `runs` as compare() takes them. The page refers to report.html in a folder
/// for each fidelity.
[[nodiscard]] std::string comparison_page(const std::vector<engine::Results>& runs,
                                          const GapExplanation& why, const InputList& inputs);

}  // namespace npunet::report

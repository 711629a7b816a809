// What people read on the console after a run: where the time went; links:
// report/results/link_tables.h.
//
//     context.out << report::summary_table(results) << '\n' << report::link_tables(results);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/results/job_results.h"
#include "engine/results/results.h"

namespace npunet::report {

/// The finish of the run, the first answers about it (report/results/step_summary.h), one row for
/// each class of NPUs (report/results/npu_summary.h), and the notes. At most `most_classes` rows:
/// those that finish last, in order of their class. The column of exposed memory is there only when
/// some class has any, that of bubbles (report/results/npu_summary.h; "-" for an NPU that does
/// nothing) only when asked for.
[[nodiscard]] std::string summary_table(const engine::Results& results,
                                        std::size_t most_classes = 16, bool with_bubble = false);

/// One row for each of several jobs, above it the finish of the run, below it the notes.
[[nodiscard]] std::string jobs_table(const engine::JobsResults& results);

/// The positions in results.links of the `count` links that were busy longest (of equals the one
/// with more bytes, then the first in the topology), most loaded first; links that carried nothing
/// are left out.
[[nodiscard]] std::vector<std::size_t> hot_links(const engine::Results& results, std::size_t count);

/// "100%", "62.5%": a share of `whole`, one decimal; "-" when `whole` is 0.
[[nodiscard]] std::string format_share(Time part, Time whole);

/// "1.478 s (66.5%)".
[[nodiscard]] std::string with_share(Time part, Time whole);

}  // namespace npunet::report

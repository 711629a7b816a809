// The outputs of a sweep: results.csv and results.json (docs/results.md), the figures time_memory
// and breakdown, each as SVG and PNG, the folder of them all, and what is printed.
//
//     context.out << sweep_table(space, results);
//
// The bytes depend only on the spec and its input files, not on time or the number of threads; the
// only paths are those in the command.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "report/figures/breakdown_figure.h"
#include "report/figures/time_memory_figure.h"
#include "study/sweep/design_space.h"
#include "study/sweep/sweep.h"

namespace npunet::study {

/// One row a point, in order of the numbers; every point must have an outcome.
[[nodiscard]] std::string sweep_csv(const DesignSpace& space, const SweepResults& results);

/// With a newline at its end. Includes the `command`, unless it is empty.
[[nodiscard]] std::string sweep_json(const DesignSpace& space, const SweepResults& results,
                                     const std::string& command = "");

/// For people: the best points, with and without the limit, the front, and what failed. Of many
/// tasks (study/sweep/ranking.h) the first `most_tasks`.
[[nodiscard]] std::string sweep_table(const DesignSpace& space, const SweepResults& results,
                                      std::size_t most_tasks = 12);

/// Every point that ran; a series for each task (study/sweep/ranking.h).
[[nodiscard]] report::TimeMemoryPlot time_memory_plot(const DesignSpace& space,
                                                      const SweepResults& results);

/// The fastest points of the tasks, in turn while there is room for `most` bars.
[[nodiscard]] report::BreakdownPlot breakdown_plot(const DesignSpace& space,
                                                   const SweepResults& results,
                                                   std::size_t most = 24);

/// Either all files appear or none; results.json, which has the `command`, comes last. Throws
/// MachineError.
void write_sweep_folder(const DesignSpace& space, const SweepResults& results,
                        const std::filesystem::path& folder, const std::string& command);

/// Removes what an earlier sweep left there under these names, its journal aside.
void remove_sweep_results(const std::filesystem::path& folder);

}  // namespace npunet::study

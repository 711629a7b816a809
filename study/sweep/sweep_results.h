// results.csv and results.json of a sweep (docs/results.md), and what is printed.
//
//     context.out << sweep_table(space, results);
//
// The bytes depend only on the spec and its input files, not on time or the number of threads; the
// only paths are those in the command.
#pragma once

#include <string>

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

}  // namespace npunet::study

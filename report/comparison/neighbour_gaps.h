// The differences between neighbouring fidelities of a comparison of more than two: what each one
// adds to the one below.
//
//     text += neighbour_lines(runs, comparison, why);      // for people
//     write_neighbour_gaps(json, runs, comparison, why);   // a member of an object that is open
#pragma once

#include <string>
#include <vector>

#include "base/json_writer.h"
#include "engine/results/results.h"
#include "report/comparison/comparison.h"
#include "report/comparison/gap.h"

namespace npunet::report {

/// A line for each pair: its ratio and, unless `why` is null, its parts that are not 0. Empty where
/// there are two runs.
[[nodiscard]] std::string neighbour_lines(const std::vector<engine::Results>& runs,
                                          const Comparison& comparison, const GapExplanation* why);

/// "gaps", explained in docs/results.md; nothing where there are two runs.
void write_neighbour_gaps(JsonWriter& json, const std::vector<engine::Results>& runs,
                          const Comparison& comparison, const GapExplanation* why);

}  // namespace npunet::report

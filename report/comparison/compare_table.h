// What `npunet compare` prints, for people and for programs.
//
//     std::vector<engine::Results> runs{analytical, packet};
//     context.out << (as_json ? report::compare_json(runs) : report::compare_table(runs));
//
// The figures are those of report/comparison/comparison.h. The runs are of different fidelities, by
// whose names the JSON tells them apart.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/results/results.h"
#include "report/comparison/gap.h"
#include "report/results/results_json.h"

namespace npunet::report {

/// The total ratio, what the difference consists of if `why` is not null, the same for neighbours
/// if there are more than two runs, then tables: the classes of NPUs (at most `most_classes`, those
/// that finish last in the most detailed run), the collective types, what is delayed most and why,
/// the ten most loaded links.
[[nodiscard]] std::string compare_table(const std::vector<engine::Results>& runs,
                                        std::size_t most_classes = 16,
                                        const GapExplanation* why = nullptr);

/// {"command" (unless it is empty), "runs": {FIDELITY: RESULTS, ...}, "ratio", "ratio_of", "gap_ns"
/// and the other keys of write_gap() (unless `why` is null), "gaps" (with three runs), "by_class",
/// "collective_ratio", "hot_links"}, explained in docs/results.md; with a newline at its end.
[[nodiscard]] std::string compare_json(const std::vector<engine::Results>& runs,
                                       Bytes peak_memory = peak_resident_memory(),
                                       const GapExplanation* why = nullptr,
                                       const std::string& command = "",
                                       const OutputScope& scope = {});

}  // namespace npunet::report

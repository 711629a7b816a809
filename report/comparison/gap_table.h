// Why two fidelities differ, for people and for programs: a part of what `npunet compare` prints,
// and the names of its parts.
//
//     text += gap_lines(why);                  // the difference in parts
//     text += gap_tables(why);                 // what is delayed most, and the link contention
//     write_gap(json, why);                    // members of an object that is open
//     in_words("flow_control")                 // "flow control"
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "report/comparison/gap.h"

namespace npunet::report {

/// The parts that are not 0: of the whole difference, and along the critical path; then the notes.
[[nodiscard]] std::string gap_lines(const GapExplanation& why);

/// The `most` collectives and messages whose own delay, without `dependency`, is largest, with
/// their parts, and the links on which contention arose. Empty where nothing is delayed.
[[nodiscard]] std::string gap_tables(const GapExplanation& why, std::size_t most = 10);

/// "3 ns: header 1 ns, latency 2 ns": the sum, and what is not 0.
[[nodiscard]] std::string sum_and_parts(const Gap& gap);

/// Members of "gap_ns".
void write_parts(JsonWriter& json, const Gap& gap, const std::string& unit = "");

/// "ladder".
void write_effect_levels(JsonWriter& json, const std::vector<EffectLevelResult>& effect_levels);

/// "gap_ns", "path_gap_ns", "critical_path", "ladder", "collectives", "contention_links" and
/// "gap_notes", explained in docs/results.md.
void write_gap(JsonWriter& json, const GapExplanation& why);

/// A name of the JSON with blanks.
[[nodiscard]] std::string in_words(std::string name);

/// For people: format_time() of times that may be negative; with_plus: "+3 ns", and "0 ns".
[[nodiscard]] std::string signed_time(Time time, bool with_plus = false);

/// The name and the ranks: "gradients (0-3, 8)", of a message "send (0 -> 1)".
[[nodiscard]] std::string label_of(const CommunicationGap& communication);

/// How much later it ends by what is its own: the parts but `dependency`.
[[nodiscard]] Time own_delay(const CommunicationGap& communication);

}  // namespace npunet::report

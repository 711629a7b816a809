// Why two fidelities differ, for people and for programs: a part of what `npunet compare` prints.
//
//     text += gap_lines(why);                  // the difference in parts
//     text += gap_tables(why);                 // what is delayed most, and where it met what
//     write_gap(json, why);                    // members of an object that is open
#pragma once

#include <cstddef>
#include <string>

#include "base/json_writer.h"
#include "report/gap.h"

namespace npunet::report {

/// The parts that are not 0: of the whole difference, and along the critical path; then the notes.
[[nodiscard]] std::string gap_lines(const GapExplanation& why);

/// The `most` collectives and messages whose own delay, without `dependency`, is largest, with
/// their parts, and the links on which contention arose. Empty where nothing is delayed.
[[nodiscard]] std::string gap_tables(const GapExplanation& why, std::size_t most = 10);

/// "gap_ns", "path_gap_ns", "critical_path", "ladder", "collectives", "contention_links" and
/// "gap_notes", explained in docs/results.md.
void write_gap(JsonWriter& json, const GapExplanation& why);

}  // namespace npunet::report

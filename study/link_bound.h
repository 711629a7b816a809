// Estimates that are impossibly short: in the analytical network messages do not share links, so
// that a run can finish before its busiest link could have carried all bytes sent over it.
//
//     note_link_bound(results);                  // adds a note if so
//     if (beats_link_bound(results)) { ... }
#pragma once

#include <string>

#include "engine/results.h"

namespace npunet::study {

/// Whether a completed run of the analytical fidelity finished before its link_bound.
[[nodiscard]] bool beats_link_bound(const engine::Results& results);

/// One sentence, or empty if it did not. `results.fidelity` and the links must be set.
[[nodiscard]] std::string link_bound_note(const engine::Results& results);

/// Adds link_bound_note() to the notes.
void note_link_bound(engine::Results& results);

}  // namespace npunet::study

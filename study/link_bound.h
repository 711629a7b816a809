// Estimates that are too short to be true: in the analytical network messages do not share links,
// so that a run can end before its busiest link could have carried all that the run sent over it.
//
//     note_link_bound(results);                  // says so, where it is so
//     if (beats_link_bound(results)) { ... }
#pragma once

#include <string>

#include "engine/results.h"

namespace npunet::study {

/// Whether a run of the analytical fidelity that came to its end did so before link_bound.
[[nodiscard]] bool beats_link_bound(const engine::Results& results);

/// One sentence, or nothing where it does not. `results.fidelity` and the links must be set.
[[nodiscard]] std::string link_bound_note(const engine::Results& results);

/// Adds that to the notes.
void note_link_bound(engine::Results& results);

}  // namespace npunet::study

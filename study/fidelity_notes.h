// What a fidelity leaves out of the machine that it runs on.
//
//     if (std::string note = fidelity_note(machine, fidelity); !note.empty()) { ... }
#pragma once

#include <string>

#include "study/simulation_run.h"

namespace npunet::study {

/// At fluid, what the network has that is not modelled there; at congestion-aware, outside of the
/// astra-sim dialects, how it differs from packets: one sentence, or empty.
[[nodiscard]] std::string fidelity_note(const Machine& machine, Fidelity fidelity);

}  // namespace npunet::study

// What a run worked with where its inputs left that to defaults (engine/resolved.h), and whether
// congestion control could do its work with it.
//
//     results.resolved = resolve(machine, fidelity, *network);
#pragma once

#include <string>
#include <vector>

#include "engine/network.h"
#include "engine/resolved.h"
#include "engine/results.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// `network`: that of the run, when it has come to its end. In time proportional to its links and
/// queue pairs.
[[nodiscard]] engine::Resolved resolve(const Machine& machine, Fidelity fidelity,
                                       const engine::Network& network);

/// A sentence where packets were dropped or links told to pause and congestion control that goes by
/// marks heard of none.
[[nodiscard]] std::vector<std::string> notes_on_marks(const topology::NetworkDescription& network,
                                                      const engine::Results& results);

}  // namespace npunet::study

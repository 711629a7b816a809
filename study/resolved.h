// Collects the values used by a run where its inputs leave them to defaults
// (engine/network/resolved.h).
//
//     results.resolved = resolve(machine, fidelity, network->queue_pair_limits());
#pragma once

#include "engine/network/network.h"
#include "engine/network/resolved.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// `pairs`: of the network of the run, after its end. Takes time proportional to the number of
/// links.
[[nodiscard]] engine::Resolved resolve(const Machine& machine, Fidelity fidelity,
                                       const engine::QueuePairLimits& pairs);

}  // namespace npunet::study

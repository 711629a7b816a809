// Collects the values used by a run where its inputs leave them to defaults (engine/resolved.h),
// and checks whether congestion control was able to work with them.
//
//     results.resolved = resolve(machine, fidelity, network->queue_pair_limits());
#pragma once

#include <string>
#include <vector>

#include "engine/network.h"
#include "engine/resolved.h"
#include "engine/results.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// `pairs`: of the network of the run, after its end. Takes time proportional to the number of
/// links.
[[nodiscard]] engine::Resolved resolve(const Machine& machine, Fidelity fidelity,
                                       const engine::QueuePairLimits& pairs);

/// A note if packets were dropped or links told to pause although congestion control by marks saw
/// none.
[[nodiscard]] std::vector<std::string> notes_on_marks(const topology::NetworkDescription& network,
                                                      const engine::Results& results);

}  // namespace npunet::study

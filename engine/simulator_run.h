// What a run in another simulator gives: ns-3 runs the same engine and networks of packets.
#pragma once

#include "engine/network.h"
#include "engine/results.h"

namespace npunet::engine {

struct SimulatorRun {
    Results results;         ///< as of Simulation::run()
    QueuePairLimits limits;  ///< Network::queue_pair_limits() at the end
};

}  // namespace npunet::engine

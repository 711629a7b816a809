// A run in another simulator: ns-3 runs the same engine on the same networks of packets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/machine/system_config.h"
#include "engine/network/network.h"
#include "engine/program/workload.h"
#include "engine/results/results.h"

namespace npunet::engine {

/// One of the workloads that share the network. The references must outlive the run.
struct SimulatorJob {
    const Workload& workload;
    const SystemConfig& system;
    std::vector<NodeId> npus;  ///< by rank
    Time start;
    std::string title;  ///< in messages; may be empty
};

/// What the engine's own simulation and network give at the end.
struct SimulatorRun {
    struct Outcome {
        Results results;
        std::string stalled;  ///< why it could not finish; empty: it has
    };
    std::vector<Outcome> jobs;
    std::vector<LinkUse> link_use;
    QueuePairLimits limits;
    std::uint64_t events = 0;
    std::uint64_t packet_hops = 0;
};

}  // namespace npunet::engine

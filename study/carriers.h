// Which links and which operations carry the communication of each kind of parallelism on the NPU
// that finishes last (Results::carriers).
//
//     results.carriers = carriers_of(workload, machine.network, results, results);
#pragma once

#include <vector>

#include "engine/program/workload.h"
#include "engine/results/results.h"
#include "topology/network/network_description.h"

namespace npunet::study {

/// By precedence, of what the NPU has. The class is that of the slowest link on the routes to the
/// members of the communicator, or the peer, with most bytes; of equally slow ones of that which
/// takes longest for its bytes. `whole`: results with all links of
/// the network, in its order. Time: proportional to the operations of that NPU.
[[nodiscard]] std::vector<engine::Carrier> carriers_of(const engine::Workload& workload,
                                                       const topology::NetworkDescription& network,
                                                       const engine::Results& results,
                                                       const engine::Results& whole);

}  // namespace npunet::study

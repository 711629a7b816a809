// Parts of a network that could not matter for a run, since nothing ever crosses them: dimensions,
// and on networks without dimensions the links between two kinds of nodes.
//
//     for (const std::string& note : notes_on_idle_links(workload, network, results)) { ... }
#pragma once

#include <string>
#include <vector>

#include "engine/results.h"
#include "engine/workload.h"
#include "topology/network_description.h"

namespace npunet::study {

/// A sentence for each such part, or one when nothing is sent at all. A part counts as crossed when
/// its links carried bytes, or lie on the route between two ranks that exchange messages, which may
/// be empty. All fidelities say the same but where packets leave the routes: round dead links and
/// by routings that make detours. The run has come to its end. Time: that of the links; of the
/// routes between communicating ranks (n log n of n members) besides where links carried nothing.
[[nodiscard]] std::vector<std::string> notes_on_idle_links(
    const engine::Workload& workload, const topology::NetworkDescription& network,
    const engine::Results& results);

}  // namespace npunet::study

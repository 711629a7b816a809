// What links carry of collectives of a communication library that are taken in closed form: the
// messages that the algorithm would send, member by member, on their routes.
//
//     traffic.count(rank, operation, estimate);        // as each member begins to send
//     traffic.add_to(use, planner, instances);         // once, when links are asked for
//
// Bytes are those that a simulation of the messages puts on links, exactly; over parallel planes
// (topology/network/planes.h) but for a byte a message. Where network.yml does not name the
// switches that add up, the links of NPUs carry what the algorithm sends and receives by them, on
// the routes round the node or, between nodes, to the next one.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/collective/instances.h"
#include "engine/collective/planner.h"
#include "engine/network/network.h"
#include "engine/program/fold.h"
#include "engine/program/workload.h"
#include "topology/network/network_description.h"

namespace npunet::engine {

class LibraryTraffic {
public:
    /// The references must outlive this.
    LibraryTraffic(const topology::NetworkDescription& network, const Workload& workload,
                   const Fold& fold);

    /// A part of a rank that is simulated, for all that it stands for. The estimate is that of the
    /// rank's plan.
    void count(Rank rank, std::uint32_t operation, const LibraryEstimate& estimate);

    /// Adds the bytes, and the time for which the links are busy with them at the rates of
    /// network.yml. `planner` as it has planned them.
    void add_to(std::vector<LinkUse>& use, CollectivePlanner& planner,
                const CollectiveInstances& instances) const;

private:
    struct Part {
        std::uint32_t operation = 0;  ///< one of those with the estimate
        std::int64_t times = 0;
    };

    const topology::NetworkDescription& network_;
    const Workload& workload_;
    const Fold& fold_;
    /// By rank.
    std::vector<std::unordered_map<const LibraryEstimate*, Part>> parts_;
};

}  // namespace npunet::engine

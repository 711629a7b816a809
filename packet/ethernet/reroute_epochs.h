// Link failures in an EthernetNetwork: switches reroutes at each epoch (topology::Reroutes), and
// drops what waits for a link that never recovers. A change of routes is an event only while
// something is under way.
#pragma once

#include "packet/base/member_event.h"
#include "packet/ethernet/drops.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/transport.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

class EthernetRerouteEpochs {
public:
    /// The references must outlive this.
    EthernetRerouteEpochs(EthernetNetworkState& state, const EthernetNextHop& routes,
                          OutputQueues& queues, PriorityFlowControl& flow_control,
                          EthernetDrops& losses, QueuePairs& pairs)
        : state_(state),
          routes_(routes),
          queues_(queues),
          flow_control_(flow_control),
          drops_(losses),
          pairs_(pairs) {}

    EthernetRerouteEpochs(const EthernetRerouteEpochs&) = delete;
    EthernetRerouteEpochs& operator=(const EthernetRerouteEpochs&) = delete;

    /// A message is about to start: makes the next epoch an event. No effect without link failures.
    void await() {
        if (routes_.reroutes() != nullptr) {
            await_next();
        }
    }

    /// This is a partition, which cannot know what is under way elsewhere: it goes through all
    /// epochs.
    void go_through_all() {
        all_ = true;
        await();
    }

private:
    void await_next();

    /// The event of an epoch: other links are down from now on.
    void begin(std::uint32_t epoch);

    /// Whether anything is under way that failed links could affect.
    bool is_busy() const;

    /// The port's link has failed permanently: drops what waits for it and resumes what it has
    /// paused.
    void drop_dead(std::uint32_t number);

    /// Drops the data of one class that waits for the port.
    void drop_dead_data(std::uint32_t number, std::uint32_t traffic_class);

    EthernetNetworkState& state_;
    const EthernetNextHop& routes_;
    OutputQueues& queues_;
    PriorityFlowControl& flow_control_;
    EthernetDrops& drops_;
    QueuePairs& pairs_;
    std::size_t epoch_ = 0;    ///< index into Reroutes::epochs()
    bool is_awaited_ = false;  ///< the next epoch is an event
    bool all_ = false;         ///< all epochs are events, as the network is split
    MemberEvent<&EthernetRerouteEpochs::begin> begin_event_{*this};
};

}  // namespace npunet::packet

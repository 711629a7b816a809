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

/// Faults that take links of an EthernetNetwork down: sees to it that packets take the detours of
/// their time (topology::Reroutes), and that what waits for a link that never comes back is lost. A
/// change of the routes is an event only while something is under way.
class EthernetRerouteEpochs {
public:
    /// All of these must outlive this.
    /// @param state of the network
    /// @param routes the ways of packets, with the detours
    /// @param queues of output ports
    /// @param flow_control the room in buffers
    /// @param losses counts what is lost
    /// @param pairs whose packets choose anew
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

    /// A message is about to start: sees to it that the next change is an event. Nothing without
    /// detours.
    void await() {
        if (routes_.reroutes() != nullptr) {
            await_next();
        }
    }

    /// This is one part of a split network. Nobody here knows what is under way elsewhere: each
    /// part goes through all epochs.
    void go_through_all() {
        all_ = true;
        await();
    }

private:
    /// @copydoc await
    void await_next();

    /// Other links are down from now on.
    /// @param epoch of the detours
    void begin(std::uint32_t epoch);

    /// @return whether the links that are down concern anything that is under way
    bool is_busy() const;

    /// A link is down for ever: what waits for it is lost, what waits because of it goes on.
    /// @param number of its port
    void bury(std::uint32_t number);

    /// The same for data.
    /// @param number of the port
    /// @param traffic_class in which it waits
    void bury_data(std::uint32_t number, std::uint32_t traffic_class);

    EthernetNetworkState& state_;                                    ///< ports and packets
    const EthernetNextHop& routes_;                                  ///< the ways of packets
    OutputQueues& queues_;                                           ///< of output ports
    PriorityFlowControl& flow_control_;                              ///< the room in buffers
    EthernetDrops& drops_;                                           ///< counts what is lost
    QueuePairs& pairs_;                                              ///< whose packets choose anew
    std::size_t epoch_ = 0;                                          ///< of the detours
    bool is_awaited_ = false;                                        ///< its end is an event
    bool all_ = false;                                               ///< of a split network
    MemberEvent<&EthernetRerouteEpochs::begin> begin_event_{*this};  ///< of the detours
};

}  // namespace npunet::packet

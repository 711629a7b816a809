#pragma once

#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/partition/partition.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/queue_pair.h"

#include "base/ids.h"
#include "topology/network_description.h"

#include <cstdint>
#include <string>

namespace npunet::packet {

/// Why an EthernetNetwork cannot go on, in words.
class EthernetStallReport {
public:
    /// All of these must outlive this.
    /// @param description the network
    /// @param state of the network
    /// @param queues of its ports
    /// @param routes the ways of packets
    EthernetStallReport(const topology::NetworkDescription& description,
                        const EthernetNetworkState& state, const OutputQueues& queues,
                        const EthernetNextHop& routes)
        : description_(description), state_(state), queues_(queues), routes_(routes) {}

    /// Nothing goes on.
    /// @return which links wait for each other in a circle, in a sentence; nothing where none do
    std::string explain_pauses() const;

    /// Nothing goes on in one part of a split network.
    /// @param part the part
    /// @return which link another part has paused, in a sentence; nothing where there is none
    std::string explain_pauses_from_afar(const Partition& part) const;

    /// Throws the StallError of a packet that is lost where nobody sends it again.
    /// @param number of the port where
    /// @param why it is lost
    [[noreturn]] void refuse_loss(std::uint32_t number, const char* why) const;

    /// Throws the StallError of a queue pair that has sent again as often as it may.
    /// @param pair the queue pair
    [[noreturn]] void give_up(const QueuePair& pair) const;

private:
    /// @param first a port that is paused in a class
    /// @param traffic_class the class
    /// @return the circle of ports each of which waits for the next one, in a sentence; nothing
    ///         where the port leads to none
    std::string explain_circle(std::uint32_t first, std::uint32_t traffic_class) const;

    /// @param pair a queue pair
    /// @return of the links by which it sends and is answered, the one that has lost most; the
    /// first
    ///         one where none has
    LinkId worst_link(const QueuePair& pair) const;

    const topology::NetworkDescription& description_;  ///< the network
    const EthernetNetworkState& state_;                ///< its ports
    const OutputQueues& queues_;                       ///< what waits for them
    const EthernetNextHop& routes_;                    ///< the ways of packets
};

}  // namespace npunet::packet

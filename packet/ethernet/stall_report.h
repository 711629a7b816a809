// Stall report of an EthernetNetwork: explains why it cannot make progress, or throws the
// StallError.
#pragma once

#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/partition/partition.h"
#include "packet/routing/ethernet_next_hop.h"
#include "packet/transport/queue_pair.h"

#include "base/ids.h"
#include "topology/network/network_description.h"

#include <cstdint>
#include <string>

namespace npunet::packet {

class EthernetStallReport {
public:
    /// The references must outlive this.
    EthernetStallReport(const topology::NetworkDescription& description,
                        const EthernetNetworkState& state, const OutputQueues& queues,
                        const EthernetNextHop& routes)
        : description_(description), state_(state), queues_(queues), routes_(routes) {}

    /// A sentence naming links that are paused in a cycle; empty if there is none.
    std::string explain_pauses() const;

    /// For a partition: a sentence naming a link that another partition has paused; empty if there
    /// is none.
    std::string explain_remote_pauses(const Partition& partition) const;

    /// Throws the StallError of a packet lost at the port without a transport to send it again;
    /// `why` is put into the message.
    [[noreturn]] void refuse_loss(std::uint32_t number, const char* why) const;

    /// Throws the StallError of a queue pair that has used up its retries.
    [[noreturn]] void give_up(const QueuePair& pair) const;

private:
    /// A sentence naming the cycle of ports, each waiting for the next, reached from a port that is
    /// paused in the class; empty if there is none.
    std::string explain_cycle(std::uint32_t first, std::uint32_t traffic_class) const;

    /// Of the links that the queue pair's packets and responses may take, the one with most drops;
    /// the first if none has any.
    LinkId worst_link(const QueuePair& pair) const;

    const topology::NetworkDescription& description_;
    const EthernetNetworkState& state_;
    const OutputQueues& queues_;
    const EthernetNextHop& routes_;
};

}  // namespace npunet::packet

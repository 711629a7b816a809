// Stall report of an EthernetNetwork: explains why it cannot make progress, or throws the
// StallError.
#pragma once

#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/pause_deadlock.h"
#include "packet/ethernet/priority_flow_control.h"
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
                        const PriorityFlowControl& flow_control, const EthernetNextHop& routes)
        : description_(description),
          state_(state),
          queues_(queues),
          flow_control_(flow_control),
          routes_(routes) {}

    /// A sentence naming links that are paused in a cycle, for ever; empty if there is none.
    std::string explain_pauses() const;

    /// For a partition: a sentence naming a link that another partition has paused; empty if there
    /// is none.
    std::string explain_remote_pauses(const Partition& partition) const;

    /// Throws the StallError of a packet lost at the port without a transport to send it again;
    /// `why` is put into the message.
    [[noreturn]] void refuse_loss(std::uint32_t number, const char* why) const;

    /// Throws the StallError of a queue pair without progress if links that it needs are paused in
    /// a cycle, for ever (PauseDeadlock). With per-packet routing it may need any.
    void check_progress(const QueuePair& pair) const;

    /// Throws the StallError of a queue pair that has used up its retries.
    [[noreturn]] void give_up(const QueuePair& pair) const;

private:
    /// The sentence that names a cycle of its links.
    std::string describe(const PauseDeadlock& deadlock) const;

    /// Whether some link will fail or recover.
    bool any_link_changes() const;

    /// Of the links that the queue pair's packets and responses may take, the one with most drops;
    /// the first if none has any.
    LinkId worst_link(const QueuePair& pair) const;

    const topology::NetworkDescription& description_;
    const EthernetNetworkState& state_;
    const OutputQueues& queues_;
    const PriorityFlowControl& flow_control_;
    const EthernetNextHop& routes_;
};

}  // namespace npunet::packet

// What an EthernetNetwork does when routes change (RouteChanges): drops what waits for a link that
// never recovers; the next packets of all queue pairs choose again.
#pragma once

#include "packet/ethernet/drops.h"
#include "packet/ethernet/network_state.h"
#include "packet/ethernet/output_queues.h"
#include "packet/ethernet/priority_flow_control.h"
#include "packet/routing/route_changes.h"
#include "packet/transport/transport.h"

#include <cstdint>

namespace npunet::packet {

class EthernetRerouting final : public RouteChangesHost {
public:
    /// The references must outlive this.
    EthernetRerouting(EthernetNetworkState& state, OutputQueues& queues,
                      PriorityFlowControl& flow_control, EthernetDrops& drops, QueuePairs& pairs)
        : state_(state),
          queues_(queues),
          flow_control_(flow_control),
          drops_(drops),
          pairs_(pairs) {}

    /// Drops what waits for the link, and resumes what its port has paused.
    void leave_dead_link(std::uint32_t link) override;

    void choose_again() override { pairs_.choose_again(); }

    bool is_busy() const override;

private:
    /// Drops the data of one class that waits for the port.
    void drop_data(std::uint32_t number, std::uint32_t traffic_class);

    EthernetNetworkState& state_;
    OutputQueues& queues_;
    PriorityFlowControl& flow_control_;
    EthernetDrops& drops_;
    QueuePairs& pairs_;
};

}  // namespace npunet::packet

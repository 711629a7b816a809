// Rerouting in a CreditNetwork when routes change (RouteChanges): packets queued for a link that
// never recovers, and the next packets of all messages, choose again.
#pragma once

#include "packet/credit/network_state.h"
#include "packet/credit/next_hop.h"
#include "packet/credit/switch_step.h"
#include "packet/routing/route_changes.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class CreditRerouting final : public RouteChangesHost {
public:
    /// `step` must outlive this.
    explicit CreditRerouting(SwitchStep& step)
        : state_(step.state()), next_hop_(step.next_hop()), step_(step) {}

    /// Takes the packets out of the link's queues, for choose_again().
    void leave_dead_link(std::uint32_t link) override;

    void choose_again() override;

    bool is_busy() const override { return state_.messages.in_flight() > 0; }

private:
    /// Messages choose the first hop of their next packet again.
    void choose_starts_again();

    CreditNetworkState& state_;
    CreditNextHop& next_hop_;
    SwitchStep& step_;
    std::vector<std::uint32_t> leaving_;  ///< packets taken out of queues
};

}  // namespace npunet::packet

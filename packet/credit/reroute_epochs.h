// Faults that take links down: begins the epochs of the backup routes (topology::Reroutes), and
// reroutes packets queued for links that never recover. The beginning of an epoch is an event only
// while messages are under way.
#pragma once

#include "packet/base/member_event.h"
#include "packet/credit/network_state.h"
#include "packet/credit/next_hop.h"
#include "packet/credit/switch_step.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class RerouteEpochs {
public:
    /// `step` must outlive this.
    explicit RerouteEpochs(SwitchStep& step);

    RerouteEpochs(const RerouteEpochs&) = delete;
    RerouteEpochs& operator=(const RerouteEpochs&) = delete;

    /// Before a message starts or enters: schedules the next epoch. Does nothing without reroutes.
    void await();

private:
    /// An epoch begins: other links are down from now on.
    void begin(std::uint32_t epoch);

    /// Reroutes the packets queued for links that never recover.
    void leave_dead_links();

    /// Moves the packets out of the queues of a port, to the end of `packets`.
    void empty_queues(std::uint32_t number, std::vector<std::uint32_t>& packets);

    /// Messages choose the first hop of their next packet again.
    void choose_starts_again();

    CreditNetworkState& state_;
    CreditNextHop& finder_;
    SwitchStep& step_;
    std::size_t epoch_ = 0;
    bool is_awaited_ = false;  ///< the next epoch is scheduled
    MemberEvent<&RerouteEpochs::begin> begin_event_{*this};
};

}  // namespace npunet::packet

#pragma once

#include "packet/base/member_event.h"
#include "packet/credit/network_state.h"
#include "packet/credit/next_hop.h"
#include "packet/credit/switch_step.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Faults that take links down: sees to it that packets take the detours of their time
/// (topology::Reroutes), and that those which wait for a link that never comes back choose anew. A
/// change of the routes is an event only while messages are under way.
class RerouteEpochs {
public:
    /// @param step moves those that have chosen anew; must outlive this
    explicit RerouteEpochs(SwitchStep& step);

    RerouteEpochs(const RerouteEpochs&) = delete;
    RerouteEpochs& operator=(const RerouteEpochs&) = delete;

    /// A message is about to start, or to come in: sees to it that the next change is an event.
    /// Nothing without detours.
    void await();

private:
    /// Other links are down from now on.
    /// @param epoch of the detours
    void begin(std::uint32_t epoch);

    /// The packets that wait for links that never come back choose anew.
    void leave_dead_links();

    /// Takes the packets out of the queues of a port.
    /// @param number of the port
    /// @param packets to which they are added
    void empty_queues(std::uint32_t number, std::vector<std::uint32_t>& packets);

    /// The next packets of all messages that have not started choose anew.
    void choose_starts_anew();

    CreditNetworkState& state_;                              ///< ports, packets and messages
    CreditNextHop& finder_;                                  ///< finds ways, and has the detours
    SwitchStep& step_;                                       ///< moves those that have chosen anew
    std::size_t epoch_ = 0;                                  ///< of the detours
    bool is_awaited_ = false;                                ///< its end is an event
    MemberEvent<&RerouteEpochs::begin> begin_event_{*this};  ///< of the detours
};

}  // namespace npunet::packet

#include "packet/ethernet/idle_links.h"

namespace npunet::packet {

EthernetIdleLinks::EthernetIdleLinks(const topology::NetworkDescription& description,
                                     EthernetNetworkState& state,
                                     const PriorityFlowControl& flow_control, const EcnMarks& marks,
                                     const QueuePairs& pairs, EthernetFastForward& fast_forward)
    : possible_(description.packet.classes.count == 1 &&
                description.packet.transport.start_jitter == Time()),
      state_(state),
      flow_control_(flow_control),
      marks_(marks),
      pairs_(pairs),
      fast_forward_(fast_forward) {}

bool EthernetIdleLinks::is_idle(std::uint32_t link) const {
    const EthernetPort& port = state_.ports[link];
    const std::int64_t now = state_.clock.now();
    const bool sends = port.busy_until > now || port.leaving_input != none ||
                       port.flight.head != none || port.requests.head != none ||
                       port.control.head != none || port.filled != 0 || port.paused != 0;
    return !sends && (!flow_control_.pauses() || flow_control_.buffer().has_nothing_of(link)) &&
           (!port.starts_here || pairs_.have_no_past(port.node, link, now));
}

bool EthernetIdleLinks::idle_state(const Links& links, State& state) {
    if (!possible_ || !fast_forward_.is_on()) {
        return false;
    }
    fast_forward_.settle();
    for (const std::uint32_t link : links) {
        if (!is_idle(link)) {
            return false;
        }
        state.push_back(state_.ports[link].own_next);
    }
    return true;
}

void EthernetIdleLinks::set_idle_state(const Links& links, const State& state) {
    for (std::size_t i = 0; i < links.size(); ++i) {
        state_.ports[links[i]].own_next = static_cast<std::uint32_t>(state[i]);
    }
}

std::vector<engine::LinkUse> EthernetIdleLinks::use_of(const Links& links) const {
    std::vector<engine::LinkUse> uses;
    uses.reserve(links.size());
    for (const std::uint32_t link : links) {
        uses.push_back(state_.use_of(link));
    }
    return uses;
}

void EthernetIdleLinks::forget_longest_queues(const Links& links) {
    for (const std::uint32_t link : links) {
        state_.ports[link].max_queue = 0;
    }
}

std::vector<std::uint64_t> EthernetIdleLinks::packet_numbers(const Links& links) const {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(links.size());
    for (const std::uint32_t link : links) {
        numbers.push_back(static_cast<std::uint64_t>(state_.ports[link].arrivals));
    }
    return numbers;
}

void EthernetIdleLinks::skip_packet_numbers(const Links& links,
                                            const std::vector<std::uint64_t>& packets) {
    for (std::size_t i = 0; i < links.size(); ++i) {
        state_.ports[links[i]].arrivals += static_cast<std::int64_t>(packets[i]);
    }
}

}  // namespace npunet::packet

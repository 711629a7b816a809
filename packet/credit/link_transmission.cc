#include "packet/credit/link_transmission.h"

#include "engine/clock/clock_limit.h"
namespace npunet::packet {

CreditLinks::CreditLinks(const topology::NetworkDescription& description, CreditNetworkState& state)
    : state_(state),
      cut_through_(description.packet.switching == topology::Switching::CutThrough),
      timing_(description),
      rates_(description.graph.links()),
      header_times_(description.graph.links()),
      retransmissions_(description.graph.links()) {
    for (std::uint32_t number = 0; number < state_.ports.size(); ++number) {
        const topology::Link& link = description.graph.link(LinkId(std::size_t{number}));
        CreditPort& port = state_.ports[number];
        port.latency = link.latency.ps();
        port.irregular = timing_.is_irregular(number) ? 1U : 0U;
        port.full_time = transfer_time(Bytes(state_.full_wire), link.rate).ps();
        rates_[number] = link.rate;
        header_times_[number] = transfer_time(Bytes(state_.header_bytes()), link.rate).ps();
    }
    state_.last_start = last_start(description.graph, state_.full_wire);
}

Crossing CreditLinks::cross_irregular(std::uint32_t port_number, std::uint32_t wire,
                                      std::int64_t now) {
    const Crossing crossing = timing_.cross(port_number, now, wire, state_.header_bytes());
    if (crossing.arrival > state_.last_start) {
        state_.clock.refuse_late();
    }
    const std::int64_t again = crossing.attempts - 1;
    retransmissions_[port_number] += again;
    state_.ports[port_number].wire += again * wire;
    return crossing;
}

bool CreditLinks::is_up(std::uint32_t port_number, std::int64_t now) {
    const std::int64_t up = timing_.up_at(port_number, now);
    if (up == never) {
        state_.filled.for_each(state_.ports[port_number], 0, [&](std::uint32_t number) {
            if (state_.queues[number].ready <= now) {
                const MessageRecord& message = state_.message_of_head(state_.queues[number]);
                timing_.refuse(port_number, now, message.bytes, message.start);
            }
            return false;
        });
    }
    return up == now;
}

std::int64_t CreditLinks::up_from(std::uint32_t port_number, std::int64_t time) const {
    const std::int64_t up = timing_.up_at(port_number, time);
    // A packet for a link that never recovers causes the error when it would start.
    return up == never ? time : up;
}

std::int64_t CreditLinks::up_between(std::uint32_t port_number, std::int64_t from,
                                     std::int64_t to) const {
    return state_.ports[port_number].irregular == 0 ? to - from
                                                    : timing_.up_between(port_number, from, to);
}

}  // namespace npunet::packet

#include "packet/ethernet/link_transmission.h"

#include "base/errors.h"
#include "engine/clock/clock_limit.h"

namespace npunet::packet {

EthernetLinks::EthernetLinks(const topology::NetworkDescription& description,
                             EthernetNetworkState& state)
    : state_(state),
      header_(state.sizes.header()),
      full_wire_(static_cast<std::uint32_t>(state.sizes.full())),
      cut_through_(description.packet.switching == topology::Switching::CutThrough),
      clock_(description),
      errors_(description.packet.error_rate, description.packet.seed),
      transmissions_(errors_.any() ? state.ports.size() : 0),
      last_arrival_(are_regular() ? 0 : state.ports.size()),
      last_start_(packet::last_start(description.graph, full_wire_)) {
    for (std::size_t number = 0; number < state.ports.size(); ++number) {
        const LinkId id(number);
        const topology::Link& link = description.graph.link(id);
        EthernetPort& port = state.ports[number];
        port.latency = link.latency.ps();
        port.rate = link.rate.bytes_per_second();
        port.full_time = transfer_time(Bytes(full_wire_), link.rate).ps();
        port.irregular = errors_.any() || clock_.faulty(id);
    }
}

LinkPassage EthernetLinks::cross_irregular(std::uint32_t number, std::uint32_t wire,
                                           std::int64_t now) {
    const LinkId link(std::size_t{number});
    LinkPassage passage;
    passage.corrupted = errors_.any() && errors_.is_corrupted(number, transmissions_[number]++);
    const Time start = Time::ps(now);
    const Time down = clock_.down_at(link, start);
    Time end = Time::max();
    if (!clock_.faulty(link)) {
        end = engine::later(start, Time::ps(sending_time(state_.ports[number], wire)));
    } else if (down == Time::max() || clock_.up_at(link, down) < Time::max()) {
        end = clock_.end(link, start, Bytes(wire));
    } else {
        end = end_before(number, wire, start, down);
    }
    const Time latency = clock_.latency(link, std::min(end, down));
    const Time arrival = std::max(Time::ps(last_arrival_[number]), engine::later(end, latency));
    passage.lost = passage.corrupted || down < arrival;
    passage.end = std::min(end, down).ps();
    passage.arrival = arrival.ps();
    passage.header_in = passage.arrival;
    if (!passage.lost) {
        last_arrival_[number] = passage.arrival;
    }
    return passage;
}

Time EthernetLinks::end_before(std::uint32_t number, std::uint32_t wire, Time start,
                               Time down) const {
    // The clock throws if the link fails permanently before the end.
    try {
        return clock_.end(LinkId(std::size_t{number}), start, Bytes(wire));
    } catch (const StallError&) {
        return down;
    }
}

void EthernetLinks::refuse(std::uint32_t number, std::int64_t now) const {
    clock_.refuse(LinkId(std::size_t{number}), Time::ps(now), Bytes(full_wire_), Time::ps(now));
}

}  // namespace npunet::packet

#include "packet/credit/next_hop.h"

#include <algorithm>

namespace npunet::packet {

CreditNextHop::CreditNextHop(CreditNetworkState& state, CreditLinks& links)
    : state_(state),
      links_(links),
      chooser_(state.plan.graph(), state.ports, links.rates(), state.credits, links.timing()) {}

void CreditNextHop::use(const topology::NetworkDescription& description) {
    PacketPaths& ways = state_.ways;
    ways.seed = description.packet.seed;
    ways.router = description.multipath.get();
    if (description.faults.take_links_down()) {
        detours_ = std::make_unique<topology::Detours>(description);
        ways.router = detours_.get();
    }
    if (ways.router != nullptr) {
        chooser_.use(*ways.router, state_.channels);
    }
}

bool CreditNextHop::gets_through(std::uint32_t port_number, std::uint32_t wire, std::int64_t now) {
    return !detours_ || detours_->dead_from(LinkId(std::size_t{port_number})) == Time::max() ||
           links_.gets_through(port_number, wire, now);
}

void CreditNextHop::open(std::uint32_t message, const engine::Message& sent) {
    MessagePaths& ways = state_.ways.of_message(message);
    ways = MessagePaths();
    ways.undelivered = state_.packets_of(sent.bytes.value());
    ways.next.first_channel =
        static_cast<std::uint8_t>(state_.classes.of(sent) * state_.classes.channels);
    ways.next.place.source = sent.source;
    ways.next.place.destination = sent.destination;
    choose_start(message);
}

void CreditNextHop::open_foreign(std::uint32_t message, std::int64_t bytes) {
    MessagePaths& ways = state_.ways.of_message(message);
    ways = MessagePaths();
    ways.undelivered = state_.packets_of(bytes);
}

void CreditNextHop::choose_start_anew(std::uint32_t message) {
    chooser_.leave(state_.ways.of_message(message).next);
    choose_start(message);
}

void CreditNextHop::choose_start(std::uint32_t message) {
    MessageRecord& record = state_.messages[message];
    state_.ways.of_message(message).since = state_.events.now().ps();
    PacketPath& way = state_.ways.of_message(message).next;
    way.place.at = way.place.source;
    way.place.in = topology::Hop();
    way.place.memory = 0;
    way.place.hash = state_.ways.hash(record.id, way.number);
    way.then = topology::Hop();
    way.wire = state_.wire_bytes(std::min(record.remaining, state_.mtu));
    choose_way(way);
    record.hop = PacketPaths::hop_of_message(message);
    state_.plan.keep(record.hop,
                     state_.plan.planned(RoutePlan::none_yet, way.hop.virtual_channel, way.hop,
                                         way.first_channel, way.place.destination));
}

void CreditNextHop::choose_way(PacketPath& way) {
    // What is chosen already is taken, unless it is gone for ever by now. Then a detour is: what
    // the usual routing remembers is that of a packet that has crossed the link.
    if (way.then.link.valid() && detours_ && detours_->is_dead(way.then.link)) {
        way.then = topology::Hop();
        way.place.memory = topology::Detours::on_detour;
    }
    chooser_.choose(way, state_.events.now().ps());
}

bool CreditNextHop::cut(std::uint32_t message, std::uint32_t place, std::int64_t end) {
    MessagePaths& ways = state_.ways.of_message(message);
    chooser_.leave(ways.next);
    state_.ways.of_packet(place) = ways.next;
    const PlannedHop before = state_.plan[PacketPaths::hop_of_message(message)];
    state_.plan.keep(PacketPaths::hop_of_packet(place), before);
    state_.packets[place].hop = PacketPaths::hop_of_packet(place);
    ways.last_end = std::max(ways.last_end, end);
    if (state_.messages[message].remaining == 0) {
        return false;
    }
    ++ways.next.number;
    choose_start(message);
    return state_.plan[PacketPaths::hop_of_message(message)].queue != before.queue;
}

void CreditNextHop::cross(std::uint32_t place, const Crossing& crossing) {
    PacketPath& way = state_.ways.of_packet(place);
    way.place.in = way.hop;
    way.place.at = state_.plan.graph().link(way.hop.link).to;
    way.place.memory = way.memory_behind;
    way.arrival = crossing.arrival;
    state_.packets[place].ready = links_.may_choose(crossing);
}

void CreditNextHop::choose(std::uint32_t place) {
    choose_way(state_.ways.of_packet(place));
    plan_hop(place);
}

void CreditNextHop::choose_anew(std::uint32_t place) {
    PacketPath& way = state_.ways.of_packet(place);
    chooser_.leave(way);
    way.then = topology::Hop();
    choose_way(way);
    QueuedPacket& packet = state_.packets[place];
    packet.ready = std::max(packet.ready, state_.events.now().ps());
    plan_hop(place);
}

void CreditNextHop::plan_hop(std::uint32_t place) {
    const PacketPath& way = state_.ways.of_packet(place);
    QueuedPacket& packet = state_.packets[place];
    const auto input = static_cast<std::uint32_t>(way.place.in.link.index());
    const PlannedHop hop = state_.plan.planned(input, way.place.in.virtual_channel, way.hop,
                                               way.first_channel, way.place.destination);
    state_.plan.keep(packet.hop, hop);
    Crossing crossing;
    crossing.arrival = way.arrival;
    crossing.header_in = packet.ready;
    packet.ready = std::max(packet.ready, links_.may_leave(crossing, hop.port, way.wire));
}

bool CreditNextHop::arrive(std::uint32_t message, std::int64_t arrival) {
    MessagePaths& ways = state_.ways.of_message(message);
    ways.last_arrival = std::max(ways.last_arrival, arrival);
    return --ways.undelivered == 0;
}

}  // namespace npunet::packet

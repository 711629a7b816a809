#include "packet/credit/next_hop.h"

#include <algorithm>

namespace npunet::packet {

CreditNextHop::CreditNextHop(CreditNetworkState& state, CreditLinks& links)
    : state_(state),
      links_(links),
      chooser_(state.plan.graph(), state.ports, links.rates(), state.credits, links.timing()) {}

void CreditNextHop::use(const topology::NetworkDescription& description) {
    PacketPaths& paths = state_.paths;
    paths.seed = description.packet.seed;
    paths.router = description.multipath.get();
    if (description.faults.take_links_down()) {
        reroutes_ = std::make_unique<topology::Reroutes>(description);
        paths.router = reroutes_.get();
    }
    if (paths.router != nullptr) {
        chooser_.use(*paths.router, state_.channels);
    }
}

bool CreditNextHop::gets_through(std::uint32_t port_number, std::uint32_t wire, std::int64_t now) {
    return !reroutes_ || reroutes_->dead_from(LinkId(std::size_t{port_number})) == Time::max() ||
           links_.gets_through(port_number, wire, now);
}

void CreditNextHop::open(std::uint32_t message, const engine::Message& sent) {
    MessagePaths& paths = state_.paths.of_message(message);
    paths = MessagePaths();
    paths.undelivered = state_.packets_of(sent.bytes.value());
    paths.next.first_channel =
        static_cast<std::uint8_t>(state_.classes.of(sent) * state_.classes.channels);
    paths.next.place.source = sent.source;
    paths.next.place.destination = sent.destination;
    choose_start(message);
}

void CreditNextHop::open_foreign(std::uint32_t message, std::int64_t bytes) {
    MessagePaths& paths = state_.paths.of_message(message);
    paths = MessagePaths();
    paths.undelivered = state_.packets_of(bytes);
}

void CreditNextHop::choose_start_again(std::uint32_t message) {
    chooser_.leave(state_.paths.of_message(message).next);
    choose_start(message);
}

void CreditNextHop::choose_start(std::uint32_t message) {
    MessageRecord& record = state_.messages[message];
    state_.paths.of_message(message).since = state_.events.now().ps();
    PacketPath& path = state_.paths.of_message(message).next;
    path.place.at = path.place.source;
    path.place.in = topology::Hop();
    path.place.memory = 0;
    path.place.hash = state_.paths.hash(record.id, path.number);
    path.then = topology::Hop();
    path.wire = state_.wire_bytes(std::min(record.remaining, state_.mtu));
    choose_path(path);
    record.hop = PacketPaths::hop_of_message(message);
    state_.plan.keep(record.hop,
                     state_.plan.planned(RoutePlan::none_yet, path.hop.virtual_channel, path.hop,
                                         path.first_channel, path.place.destination));
}

void CreditNextHop::choose_path(PacketPath& path) {
    // A hop chosen earlier is taken, unless its link has failed for good. Then the packet is
    // rerouted: the memory of the regular routing assumes that it has crossed the link.
    if (path.then.link.valid() && reroutes_ && reroutes_->is_dead(path.then.link)) {
        path.then = topology::Hop();
        path.place.memory = topology::Reroutes::rerouted_bit;
    }
    chooser_.choose(path, state_.events.now().ps());
}

bool CreditNextHop::cut(std::uint32_t message, std::uint32_t place, std::int64_t end) {
    MessagePaths& paths = state_.paths.of_message(message);
    chooser_.leave(paths.next);
    state_.paths.of_packet(place) = paths.next;
    const PlannedHop before = state_.plan[PacketPaths::hop_of_message(message)];
    state_.plan.keep(PacketPaths::hop_of_packet(place), before);
    state_.packets[place].hop = PacketPaths::hop_of_packet(place);
    paths.last_end = std::max(paths.last_end, end);
    if (state_.messages[message].remaining == 0) {
        return false;
    }
    ++paths.next.number;
    choose_start(message);
    return state_.plan[PacketPaths::hop_of_message(message)].queue != before.queue;
}

void CreditNextHop::cross(std::uint32_t place, const Crossing& crossing) {
    PacketPath& path = state_.paths.of_packet(place);
    path.place.in = path.hop;
    path.place.at = state_.plan.graph().link(path.hop.link).to;
    path.place.memory = path.memory_behind;
    path.arrival = crossing.arrival;
    state_.packets[place].ready = links_.may_choose(crossing);
}

void CreditNextHop::choose(std::uint32_t place) {
    choose_path(state_.paths.of_packet(place));
    plan_hop(place);
}

void CreditNextHop::choose_again(std::uint32_t place) {
    PacketPath& path = state_.paths.of_packet(place);
    chooser_.leave(path);
    path.then = topology::Hop();
    choose_path(path);
    QueuedPacket& packet = state_.packets[place];
    packet.ready = std::max(packet.ready, state_.events.now().ps());
    plan_hop(place);
}

void CreditNextHop::plan_hop(std::uint32_t place) {
    const PacketPath& path = state_.paths.of_packet(place);
    QueuedPacket& packet = state_.packets[place];
    const auto input = static_cast<std::uint32_t>(path.place.in.link.index());
    const PlannedHop hop = state_.plan.planned(input, path.place.in.virtual_channel, path.hop,
                                               path.first_channel, path.place.destination);
    state_.plan.keep(packet.hop, hop);
    Crossing crossing;
    crossing.arrival = path.arrival;
    crossing.header_in = packet.ready;
    packet.ready = std::max(packet.ready, links_.may_leave(crossing, hop.port, path.wire));
}

bool CreditNextHop::arrive(std::uint32_t message, std::int64_t arrival) {
    MessagePaths& paths = state_.paths.of_message(message);
    paths.last_arrival = std::max(paths.last_arrival, arrival);
    return --paths.undelivered == 0;
}

}  // namespace npunet::packet

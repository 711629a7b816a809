#include "packet/credit/next_hop.h"

#include <algorithm>

namespace npunet::packet {

CreditNextHop::CreditNextHop(CreditNetworkState& state, CreditLinks& links)
    : state_(state),
      links_(links),
      routing_(state.plan.graph(), state.ports, links.rates(), state.credits, links.timing()) {}

void CreditNextHop::use(const topology::NetworkDescription& description) {
    CreditPaths& paths = state_.paths;
    paths.seed = description.packet.seed;
    paths.router = description.multipath.get();
    if (description.faults.take_links_down()) {
        reroutes_ = std::make_unique<topology::Reroutes>(description);
        paths.router = reroutes_.get();
    }
    if (paths.router != nullptr) {
        routing_.use(*paths.router, state_.channels);
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
    choose_start(message, state_.clock.now());
}

void CreditNextHop::open_remote(std::uint32_t message, std::int64_t bytes) {
    MessagePaths& paths = state_.paths.of_message(message);
    paths = MessagePaths();
    paths.undelivered = state_.packets_of(bytes);
}

void CreditNextHop::choose_start_again(std::uint32_t message) {
    routing_.leave(state_.paths.of_message(message).next);
    choose_start(message, state_.clock.now());
}

void CreditNextHop::choose_start(std::uint32_t message, std::int64_t now) {
    MessageRecord& record = state_.messages[message];
    state_.paths.of_message(message).since = now;
    CreditPath& path = state_.paths.of_message(message).next;
    const auto number = static_cast<std::uint64_t>(path.number);
    path.start(path.place.source, path.place.destination,
               packet_hash(state_.paths.seed, record.id, number),
               (record.id & engine::MessageId::count_mask) + number);
    path.wire = state_.wire_bytes(std::min(record.remaining, state_.mtu));
    choose_path(path, now);
    record.hop = CreditPaths::hop_of_message(message);
    state_.plan.keep(record.hop,
                     state_.plan.planned(RoutePlan::none_yet, path.hop.virtual_channel, path.hop,
                                         path.first_channel, path.place.destination));
}

void CreditNextHop::choose_path(CreditPath& path, std::int64_t now) {
    path.avoid_dead_link(reroutes_.get());
    routing_.choose(path, now);
}

bool CreditNextHop::cut(std::uint32_t message, std::uint32_t place, std::int64_t now,
                        std::int64_t end) {
    MessagePaths& paths = state_.paths.of_message(message);
    routing_.leave(paths.next);
    state_.paths.of_packet(place) = paths.next;
    const PlannedHop before = state_.plan[CreditPaths::hop_of_message(message)];
    state_.plan.keep(CreditPaths::hop_of_packet(place), before);
    state_.packets[place].hop = CreditPaths::hop_of_packet(place);
    paths.last_end = std::max(paths.last_end, end);
    if (state_.messages[message].remaining == 0) {
        return false;
    }
    ++paths.next.number;
    choose_start(message, now);
    return state_.plan[CreditPaths::hop_of_message(message)].queue != before.queue;
}

void CreditNextHop::cross(std::uint32_t place, const Crossing& crossing) {
    CreditPath& path = state_.paths.of_packet(place);
    path.cross(state_.plan.graph());
    path.arrival = crossing.arrival;
    state_.packets[place].ready = links_.may_choose(crossing);
}

PlannedHop CreditNextHop::choose(std::uint32_t place) {
    choose_path(state_.paths.of_packet(place), state_.clock.now());
    return plan_hop(place);
}

void CreditNextHop::choose_again(std::uint32_t place) {
    CreditPath& path = state_.paths.of_packet(place);
    routing_.leave(path);
    path.then = topology::Hop();
    choose_path(path, state_.clock.now());
    QueuedPacket& packet = state_.packets[place];
    packet.ready = std::max(packet.ready, state_.clock.now());
    plan_hop(place);
}

PlannedHop CreditNextHop::plan_hop(std::uint32_t place) {
    const CreditPath& path = state_.paths.of_packet(place);
    QueuedPacket& packet = state_.packets[place];
    const auto input = static_cast<std::uint32_t>(path.place.in.link.index());
    const PlannedHop hop = state_.plan.planned(input, path.place.in.virtual_channel, path.hop,
                                               path.first_channel, path.place.destination);
    state_.plan.keep(packet.hop, hop);
    Crossing crossing;
    crossing.arrival = path.arrival;
    crossing.header_in = packet.ready;
    packet.ready = std::max(packet.ready, links_.may_leave(crossing, hop.port, path.wire));
    return hop;
}

bool CreditNextHop::arrive(std::uint32_t message, std::int64_t arrival) {
    MessagePaths& paths = state_.paths.of_message(message);
    paths.last_arrival = std::max(paths.last_arrival, arrival);
    return --paths.undelivered == 0;
}

}  // namespace npunet::packet

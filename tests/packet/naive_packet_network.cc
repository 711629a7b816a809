#include "naive_packet_network.h"

#include <algorithm>
#include <tuple>

#include "base/splitmix64.h"

namespace npunet::packet_test {

using engine::Phase;

namespace {

Bytes buffer_size(const topology::PacketParameters& parameters, const topology::Link& link) {
    if (parameters.buffer.value() > 0) {
        return parameters.buffer;
    }
    const long double in_flight = 2.0L * static_cast<long double>(link.latency.ps()) *
                                  static_cast<long double>(link.rate.bytes_per_second()) / 1e12L;
    const Bytes wanted =
        Bytes(static_cast<std::int64_t>(in_flight)) + 4 * (parameters.mtu + parameters.header);
    return std::max(Bytes(262144), wanted);
}

}  // namespace

NaivePacketNetwork::NaivePacketNetwork(const topology::NetworkDescription& description,
                                       RouteFunction route, engine::EventQueue& queue)
    : graph_(description.graph),
      parameters_(description.packet),
      route_(std::move(route)),
      ways_(description.multipath.get()),
      queue_(queue),
      channels_of_class_(description.packet.virtual_channels),
      channels_(channels_of_class_ * description.packet.classes.count),
      ports_(graph_.links()),
      uses_(graph_.links()),
      clock_(description),
      errors_(description.packet.error_rate, description.packet.seed) {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        const topology::Link& link = graph_.link(LinkId(i));
        ports_[i].credit.assign(channels_, buffer_size(parameters_, link));
        ports_[i].queues.resize(graph_.links_to(link.from).size() * channels_);
        ports_[i].starting.resize(channels_);
        ports_[i].served.assign(channels_, {-1, 0});
        ports_[i].promised.resize(channels_);
        ports_[i].turns.resize(parameters_.classes.count);
        ports_[i].finish_tags.resize(parameters_.classes.count);
        if (parameters_.classes.count > 1) {
            uses_[i].classes_wire.resize(parameters_.classes.count);
        }
    }
    // A port is asked when its link changes.
    for (const topology::LinkFault& fault : description.faults.links) {
        for (const Time change : {fault.at, fault.until}) {
            if (change < Time::max()) {
                at(change, Phase::Arbitration, engine::event_kind::port, fault.link.index(),
                   [this, link = fault.link] { arbitrate(link); });
            }
        }
    }
}

std::vector<engine::LinkUse> NaivePacketNetwork::link_use() const {
    std::vector<engine::LinkUse> uses = uses_;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        for (const auto& [power, time] : ports_[i].queue_times) {
            uses[i].queue_times.resize(static_cast<std::size_t>(power) + 1);
            uses[i].queue_times.back() = time;
        }
    }
    return uses;
}

void NaivePacketNetwork::at(Time time, Phase phase, unsigned kind, std::uint64_t content,
                            std::function<void()> action) {
    if (free_.empty()) {
        free_.push_back(actions_.size());
        actions_.emplace_back();
    }
    const std::size_t place = free_.back();
    free_.pop_back();
    actions_[place] = std::move(action);
    queue_.schedule(time, engine::EventKey::of(phase, kind, content), *this, place);
}

void NaivePacketNetwork::handle(std::uint64_t payload) {
    const std::function<void()> action = std::move(actions_[payload]);
    free_.push_back(payload);
    action();
}

void NaivePacketNetwork::send(const engine::Message& message) {
    auto flight = std::make_shared<Flight>();
    flight->message = message;
    flight->key = {queue_.now().ps(), message.id.value()};
    flight->unsent = message.bytes;
    flight->traffic_class = message.traffic_class;
    if (message.traffic_class == engine::Message::by_kind) {
        flight->traffic_class =
            parameters_.classes.class_of[static_cast<std::size_t>(message.kind)];
    }
    if (ways_ == nullptr) {
        flight->route = route_(message.source, message.destination);
        flight->next.hop = flight->route.front();
    }
    const std::int64_t mtu = parameters_.mtu.value();
    flight->missing = std::max<std::int64_t>(1, (message.bytes.value() + mtu - 1) / mtu);
    flight->leaving = flight->missing;
    start_here(flight);
}

/// Puts a message into the list of the port where its next packet starts.
void NaivePacketNetwork::start_here(const std::shared_ptr<Flight>& flight) {
    if (ways_ != nullptr) {
        const Bytes wire =
            std::max(std::min(flight->unsent, parameters_.mtu) + parameters_.header, Bytes(1));
        flight->next = choose_way(*flight, flight->number, wire, flight->message.source,
                                  std::nullopt, Choice());
    }
    const topology::Hop& first = flight->next.hop;
    ports_[first.link.index()].starting[channel_of(*flight, first)].emplace(flight->key, flight);
    ask(first.link);
}

NaivePacketNetwork::Choice NaivePacketNetwork::choose_way(
    const Flight& flight, std::uint64_t number, Bytes wire, NodeId node,
    const std::optional<topology::Hop>& before, const Choice& last) {
    Choice choice;
    if (last.then) {
        choice.hop = *last.then;
        choice.memory = last.memory;
    } else {
        topology::PacketPlace place;
        place.at = node;
        place.source = flight.message.source;
        place.destination = flight.message.destination;
        place.in = before.value_or(topology::Hop());
        place.memory = last.memory;
        place.hash = splitmix64(
            splitmix64(splitmix64(parameters_.seed) ^ flight.message.id.value()) + number);
        place.sequence = static_cast<std::uint32_t>(
            (flight.message.id.value() & engine::MessageId::count_mask) + number);
        std::vector<topology::OfferedHop> ways;
        ways_->list_next_hops(graph_, place, ways);
        // The least of (down, escape, cost, place in the list) among those that are open.
        std::optional<std::tuple<bool, bool, std::int64_t, std::size_t>> best;
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const topology::OfferedHop& way = ways[i];
            const Port& port = ports_[way.hop.link.index()];
            const std::size_t channel = channel_of(flight, way.hop);
            if (way.needs_room && port.credit[channel] < port.promised[channel] + wire) {
                continue;
            }
            const Rate rate = graph_.link(way.hop.link).rate;
            Time time = transfer_time(port.chosen + wire, rate);
            if (port.busy) {
                time +=
                    transfer_time(std::max(parameters_.mtu + parameters_.header, Bytes(1)), rate);
            }
            const bool down = clock_.up_at(way.hop.link, queue_.now()) != queue_.now();
            const std::tuple<bool, bool, std::int64_t, std::size_t> value{
                down, way.escape, time.ps() * way.weight, i};
            best = best ? std::min(*best, value) : value;
        }
        const topology::OfferedHop& way = ways[std::get<3>(*best)];
        choice.hop = way.hop;
        choice.memory = way.memory;
        choice.promised = way.needs_room;
        if (way.then.link.valid()) {
            choice.then = way.then;
        }
    }
    Port& port = ports_[choice.hop.link.index()];
    port.chosen += wire;
    if (choice.promised) {
        port.promised[channel_of(flight, choice.hop)] += wire;
    }
    return choice;
}

void NaivePacketNetwork::leave_choice(const Flight& flight, const Choice& choice, Bytes wire) {
    Port& port = ports_[choice.hop.link.index()];
    port.chosen -= wire;
    if (choice.promised) {
        port.promised[channel_of(flight, choice.hop)] -= wire;
    }
}

}  // namespace npunet::packet_test

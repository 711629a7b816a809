#include "naive_packet_network.h"

#include <algorithm>
#include <tuple>

#include "topology/routing/pair_hash.h"

namespace npunet::packet_test {

using engine::Phase;

namespace {

// Kinds of this network's own events, away from those of the engine.
// What only tells of the past comes first, and commutes; then the packets that choose their way.
constexpr unsigned kind_arrival = 0;
constexpr unsigned kind_end = 0;
constexpr unsigned kind_credit = 0;
constexpr unsigned kind_choice = 8;

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
        using topology::mixed;
        place.hash = mixed(mixed(mixed(parameters_.seed) ^ flight.message.id.value()) + number);
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

bool NaivePacketNetwork::last_hop(const Packet& packet) const {
    return graph_.link(packet.hop.link).to == packet.flight->message.destination;
}

void NaivePacketNetwork::ask(LinkId link) {
    at(queue_.now(), Phase::Arbitration, engine::event_kind::port, link.index(),
       [this, link] { arbitrate(link); });
}

void NaivePacketNetwork::arbitrate(LinkId link) {
    const Port& port = ports_[link.index()];
    if (!port.busy && clock_.up_at(link, queue_.now()) == queue_.now()) {
        if (choose(link, true)) {
            at(queue_.now(), Phase::Arbitration, engine::event_kind::port_again, link.index(),
               [this, link] {
                   if (!ports_[link.index()].busy &&
                       clock_.up_at(link, queue_.now()) == queue_.now()) {
                       choose(link, false);
                   }
                   watch_stall(link);
               });
        }
    } else if (!port.busy && clock_.up_at(link, queue_.now()) == Time::max()) {
        for (std::size_t slot = 0; slot < port.queues.size() + channels_; ++slot) {
            if (const auto waiting = head(link, slot)) {
                const Flight& flight = *waiting->first.flight;
                clock_.refuse(link, queue_.now(), flight.message.bytes, Time::ps(flight.key.first));
            }
        }
    }
    watch_stall(link);
}

bool NaivePacketNetwork::input_is_taken(LinkId link, std::size_t slot, bool patient,
                                        bool& yielded) {
    if (parameters_.speedup == 0 || slot >= ports_[link.index()].queues.size()) {
        return false;
    }
    const NodeId node = graph_.link(link).from;
    const Port& input = ports_[graph_.links_to(node)[slot / channels_].index()];
    if (input.reads >= parameters_.speedup) {
        return true;
    }
    if (!patient) {
        return false;
    }
    // Walk on from the output that was served last until this one.
    const std::vector<LinkId>& outputs = graph_.links_from(node);
    std::vector<LinkId> order(outputs.begin(), outputs.end());
    std::sort(order.begin(), order.end());
    const auto after = std::upper_bound(order.begin(), order.end(), input.last_output);
    std::rotate(order.begin(), after, order.end());
    for (const LinkId other : order) {
        if (other == link) {
            return false;
        }
        for (std::size_t channel = 0; channel < channels_; ++channel) {
            const Port& rival = ports_[other.index()];
            if (!rival.busy && !rival.queues[slot / channels_ * channels_ + channel].empty()) {
                yielded = true;
                return true;
            }
        }
    }
    return false;
}

bool NaivePacketNetwork::choose(LinkId link, bool patient) {
    bool yielded = false;
    Port& port = ports_[link.index()];
    const std::size_t slots = port.queues.size() + channels_;
    std::map<std::size_t, std::vector<std::size_t>> by_class;
    std::set<std::size_t> open;
    for (std::size_t slot = 0; slot < slots; ++slot) {
        if (can_go(link, slot) && !input_is_taken(link, slot, patient, yielded)) {
            const std::size_t own = head(link, slot)->first.flight->traffic_class;
            by_class[own].push_back(slot);
            open.insert(own);
        }
    }
    if (open.empty()) {
        return yielded;
    }
    const std::size_t chosen = choose_class(port, open);
    // Oldest: when it left its source, how many messages that had sent before, which source, which
    // slot. Round robin: how far from the turn.
    std::map<std::tuple<Time, std::uint64_t, std::uint64_t, std::size_t>, std::size_t> order;
    for (const std::size_t slot : by_class[chosen]) {
        const Packet packet = head(link, slot)->first;
        const std::uint64_t id = packet.flight->message.id.value();
        const std::uint64_t count = id & ((std::uint64_t{1} << 36) - 1);
        const std::size_t distance = (slot + slots - port.turns[chosen]) % slots;
        const bool oldest = parameters_.arbitration == topology::Arbitration::Oldest;
        order.emplace(oldest ? std::tuple{packet.born, count, id >> 36, slot}
                             : std::tuple{Time(), std::uint64_t{0}, std::uint64_t{0}, distance},
                      slot);
    }
    const std::size_t slot = order.begin()->second;
    port.turns[chosen] = (slot + 1) % slots;
    if (!parameters_.classes.weights.empty()) {
        port.virtual_time = std::max(port.virtual_time, port.finish_tags[chosen]);
        port.finish_tags[chosen] =
            port.virtual_time + static_cast<Wide>(head(link, slot)->first.wire.value()) * 1048576 /
                                    parameters_.classes.weights[chosen];
    }
    send_slot(link, slot);
    return false;
}

/// Strict: the lowest; weights: the one with the least start tag, max(virtual time, finish tag).
std::size_t NaivePacketNetwork::choose_class(Port& port, const std::set<std::size_t>& open) {
    if (parameters_.classes.weights.empty()) {
        return *open.begin();
    }
    return *std::min_element(open.begin(), open.end(), [&port](std::size_t a, std::size_t b) {
        return std::pair(std::max(port.virtual_time, port.finish_tags[a]), a) <
               std::pair(std::max(port.virtual_time, port.finish_tags[b]), b);
    });
}

void NaivePacketNetwork::watch_stall(LinkId link) {
    Port& port = ports_[link.index()];
    bool wanted = false;
    for (std::size_t slot = 0; slot < port.queues.size() + channels_; ++slot) {
        wanted = wanted || head(link, slot);
    }
    if (port.stalled) {
        uses_[link.index()].credit_stall += queue_.now() - port.stalled_since;
    }
    port.stalled = wanted && !port.busy && clock_.up_at(link, queue_.now()) == queue_.now();
    port.stalled_since = queue_.now();
}

void NaivePacketNetwork::change_waiting(Port& port, Bytes by) {
    if (parameters_.queue_histogram && port.waiting > Bytes(0) &&
        queue_.now() > port.waiting_since) {
        int power = 0;
        while (port.waiting.value() >> (power + 1) > 0) {
            ++power;
        }
        port.queue_times[power] += queue_.now() - port.waiting_since;
    }
    port.waiting_since = queue_.now();
    port.waiting += by;
}

std::optional<std::pair<NaivePacketNetwork::Packet, std::size_t>> NaivePacketNetwork::head(
    LinkId link, std::size_t slot) {
    Port& port = ports_[link.index()];
    if (slot < port.queues.size()) {
        if (port.queues[slot].empty()) {
            return std::nullopt;
        }
        const Packet& packet = port.queues[slot].front();
        return std::pair(packet, channel_of(*packet.flight, packet.hop));
    }
    const std::size_t channel = slot - port.queues.size();
    auto& starting = port.starting[channel];
    if (starting.empty()) {
        return std::nullopt;
    }
    auto turn = starting.upper_bound(port.served[channel]);
    if (turn == starting.end()) {
        turn = starting.begin();
    }
    const std::shared_ptr<Flight> flight = turn->second;
    Packet packet;
    packet.flight = flight;
    packet.hop = flight->next.hop;
    packet.choice = flight->next;
    packet.number = flight->number;
    packet.born = queue_.now();
    packet.payload = std::min(flight->unsent, parameters_.mtu);
    packet.wire = std::max(packet.payload + parameters_.header, Bytes(1));
    packet.last = flight->unsent == packet.payload;
    return std::pair(packet, channel);
}

bool NaivePacketNetwork::can_go(LinkId link, std::size_t slot) {
    const auto packet = head(link, slot);
    return packet && ports_[link.index()].credit[packet->second] >= packet->first.wire;
}

void NaivePacketNetwork::send_slot(LinkId link, std::size_t slot) {
    Port& port = ports_[link.index()];
    const auto [packet, channel] = *head(link, slot);
    if (ways_ != nullptr) {
        leave_choice(*packet.flight, packet.choice, packet.wire);
    }
    port.busy = true;
    port.credit[channel] -= packet.wire;
    if (slot < port.queues.size()) {
        port.queues[slot].pop_front();
        Port& input = ports_[packet.before->link.index()];
        ++input.reads;
        input.last_output = link;
        change_waiting(port, Bytes(0) - packet.wire);
    } else {
        Flight& flight = *packet.flight;
        port.served[channel] = flight.key;
        flight.unsent -= packet.payload;
        if (!flight.started) {
            flight.started = true;
            flight.first_byte_left = queue_.now();
        }
        if (packet.last || ways_ != nullptr) {
            port.starting[channel].erase(flight.key);
        }
        if (ways_ != nullptr && !packet.last) {
            ++flight.number;
            start_here(packet.flight);
        }
    }
    start(link, packet);
}

void NaivePacketNetwork::start(LinkId id, const Packet& packet) {
    ++packet_hops_;
    ++uses_[id.index()].packets;
    uses_[id.index()].payload += packet.payload;
    attempt(id, packet);
}

void NaivePacketNetwork::attempt(LinkId id, const Packet& packet) {
    Port& port = ports_[id.index()];
    const Time end = clock_.end(id, queue_.now(), packet.wire);
    uses_[id.index()].wire += packet.wire;
    if (!uses_[id.index()].classes_wire.empty()) {
        uses_[id.index()].classes_wire[packet.flight->traffic_class] += packet.wire;
    }
    uses_[id.index()].busy += end - queue_.now();
    const Time before = port.last_arrival;
    port.last_arrival = std::max(before, end + clock_.latency(id, end));
    const Time in = port.last_arrival;
    if (errors_.is_corrupted(id.index(), port.transmissions++)) {
        const Time told = in + clock_.latency(id, in);
        at(told, Phase::Arrival, kind_end, id.index(), [this, id, packet] {
            ++uses_[id.index()].retransmissions;
            attempt(id, packet);
        });
        return;
    }
    at(end, Phase::Arrival, kind_end, id.index(), [this, id, packet] { done(id, packet); });
    if (last_hop(packet)) {
        at(in, Phase::Arrival, kind_arrival, ++arrivals_,
           [this, id, packet] { arrive(id, packet); });
    } else {
        go_on(id, packet, header_in(id, end, before), in);
    }
}

/// A packet is on its way to a node where it does not end.
void NaivePacketNetwork::go_on(LinkId id, Packet packet, Time header, Time in) {
    packet.before = packet.hop;
    ++packet.hops;
    if (ways_ == nullptr) {
        packet.hop = packet.flight->route[packet.hops];
        at(ready(header, in, packet.hop.link, packet.wire), Phase::Arrival, kind_arrival,
           ++arrivals_, [this, packet] { stand_in_line(packet.before->link, packet); });
        return;
    }
    const bool cut = parameters_.switching == topology::Switching::CutThrough;
    at(cut ? header : in, Phase::Arrival, kind_choice, id.index(), [this, id, packet, header, in] {
        Packet own = packet;
        own.choice = choose_way(*own.flight, own.number, own.wire, graph_.link(id).to, own.before,
                                own.choice);
        own.hop = own.choice.hop;
        at(ready(header, in, own.hop.link, own.wire), Phase::Arrival, kind_arrival, ++arrivals_,
           [this, own] { stand_in_line(own.before->link, own); });
    });
}

void NaivePacketNetwork::done(LinkId id, const Packet& packet) {
    ports_[id.index()].busy = false;
    ask(id);
    if (packet.before) {
        --ports_[packet.before->link.index()].reads;
        if (parameters_.speedup > 0) {
            for (const LinkId other : graph_.links_from(graph_.link(id).from)) {
                ask(other);
            }
        }
        give_credit_back(packet.before->link, channel_of(*packet.flight, *packet.before),
                         packet.wire);
    } else if (--packet.flight->leaving == 0 && packet.flight->message.wants_sent) {
        at(queue_.now(), Phase::Arrival, engine::event_kind::message_sent,
           packet.flight->message.id.value(),
           [this, flight = packet.flight] { listener_->on_sent(flight->message.handle); });
    }
}

// When the header of a packet that starts now and has left at `end` is in, and the rest follows;
// `before` is the arrival of the one before it.
Time NaivePacketNetwork::header_in(LinkId id, Time end, Time before) const {
    const Time in = ports_[id.index()].last_arrival;
    const Time header_end = clock_.end(id, queue_.now(), std::max(parameters_.header, Bytes(1)));
    const Time latency = clock_.latency(id, header_end);
    if (!clock_.steady(id, queue_.now(), end) || end + latency != in) {
        return in;
    }
    return std::max(before, header_end + latency);
}

// When a packet may leave by the next link.
Time NaivePacketNetwork::ready(Time header, Time in, LinkId next, Bytes wire) const {
    if (parameters_.switching == topology::Switching::StoreAndForward) {
        return in;
    }
    const Time sending = clock_.highest_rate(next) == 0
                             ? Time()
                             : transfer_time(wire, Rate(clock_.highest_rate(next)));
    return std::max(header, in - sending);
}

void NaivePacketNetwork::arrive(LinkId id, Packet packet) {
    give_credit_back(id, channel_of(*packet.flight, packet.hop), packet.wire);
    if (--packet.flight->missing == 0) {
        deliver(packet.flight);
    }
}

void NaivePacketNetwork::deliver(const std::shared_ptr<Flight>& flight) {
    at(queue_.now(), Phase::Arrival, engine::event_kind::message_delivered,
       flight->message.id.value(), [this, flight] {
           listener_->on_delivered(flight->message.handle, flight->first_byte_left);
       });
}

void NaivePacketNetwork::stand_in_line(LinkId id, Packet packet) {
    const topology::Hop before = *packet.before;
    const std::vector<LinkId>& inputs = graph_.links_to(graph_.link(id).to);
    const auto input =
        static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), id) - inputs.begin());
    const LinkId next = packet.hop.link;
    Port& port = ports_[next.index()];
    change_waiting(port, packet.wire);
    Bytes& most = uses_[next.index()].max_queue;
    most = std::max(most, port.waiting);
    const std::size_t channel = channel_of(*packet.flight, before);
    port.queues[input * channels_ + channel].push_back(std::move(packet));
    ask(next);
}

void NaivePacketNetwork::give_credit_back(LinkId id, std::size_t channel, Bytes bytes) {
    at(queue_.now() + clock_.latency(id, queue_.now()), Phase::Arrival, kind_credit,
       ++credits_returned_, [this, id, channel, bytes] {
           ports_[id.index()].credit[channel] += bytes;
           ask(id);
       });
}

}  // namespace npunet::packet_test

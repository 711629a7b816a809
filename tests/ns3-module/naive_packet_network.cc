#include "naive_packet_network.h"

#include <algorithm>

namespace npunet::packet_test {

using engine::Phase;

namespace {

// Kinds of this network's own events, away from those of the engine.
constexpr unsigned kind_arrival = 0;
constexpr unsigned kind_end = 6;
constexpr unsigned kind_credit = 7;

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
      queue_(queue),
      channels_(description.packet.virtual_channels),
      ports_(graph_.links()),
      uses_(graph_.links()) {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        const topology::Link& link = graph_.link(LinkId(i));
        ports_[i].credit.assign(channels_, buffer_size(parameters_, link));
        ports_[i].queues.resize(graph_.links_to(link.from).size() * channels_);
        ports_[i].starting.resize(channels_);
        ports_[i].served.assign(channels_, {-1, 0});
    }
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
    flight->route = route_(message.source, message.destination);
    flight->unsent = message.bytes;
    const topology::Hop& first = flight->route.front();
    const TurnKey key{queue_.now().ps(), message.id.value()};
    ports_[first.link.index()].starting[first.virtual_channel].emplace(key, flight);
    ask(first.link);
}

void NaivePacketNetwork::ask(LinkId link) {
    at(queue_.now(), Phase::Arbitration, engine::event_kind::port, link.index(),
       [this, link] { arbitrate(link); });
}

void NaivePacketNetwork::arbitrate(LinkId link) {
    Port& port = ports_[link.index()];
    const std::size_t slots = port.queues.size() + channels_;
    for (std::size_t i = 0; i < slots && !port.busy; ++i) {
        const std::size_t slot = (port.turn + i) % slots;
        if (try_slot(link, slot)) {
            port.turn = (slot + 1) % slots;
            return;
        }
    }
}

bool NaivePacketNetwork::try_slot(LinkId link, std::size_t slot) {
    Port& port = ports_[link.index()];
    if (slot < port.queues.size()) {
        if (port.queues[slot].empty()) {
            return false;
        }
        const Packet packet = port.queues[slot].front();
        const std::size_t channel = packet.flight->route[packet.hop].virtual_channel;
        if (port.credit[channel] < packet.wire) {
            return false;
        }
        port.queues[slot].pop_front();
        port.waiting -= packet.wire;
        start(link, channel, packet);
        return true;
    }
    const std::size_t channel = slot - port.queues.size();
    auto& starting = port.starting[channel];
    if (starting.empty()) {
        return false;
    }
    auto turn = starting.upper_bound(port.served[channel]);
    if (turn == starting.end()) {
        turn = starting.begin();
    }
    const std::shared_ptr<Flight> flight = turn->second;
    Packet packet{flight, 0, std::min(flight->unsent, parameters_.mtu), Bytes(), false};
    packet.wire = std::max(packet.payload + parameters_.header, Bytes(1));
    if (port.credit[channel] < packet.wire) {
        return false;
    }
    port.served[channel] = turn->first;
    flight->unsent -= packet.payload;
    packet.last = flight->unsent == Bytes(0);
    if (!flight->started) {
        flight->started = true;
        flight->first_byte_left = queue_.now();
    }
    if (packet.last) {
        starting.erase(turn);
    }
    start(link, channel, packet);
    return true;
}

void NaivePacketNetwork::start(LinkId id, std::size_t channel, const Packet& packet) {
    const topology::Link& link = graph_.link(id);
    Port& port = ports_[id.index()];
    port.busy = true;
    port.credit[channel] -= packet.wire;
    const Time duration = transfer_time(packet.wire, link.rate);
    ++packet_hops_;
    uses_[id.index()].payload += packet.payload;
    uses_[id.index()].wire += packet.wire;
    uses_[id.index()].busy += duration;

    const Time end = queue_.now() + duration;
    at(end, Phase::Arrival, kind_end, id.index(), [this, id, packet] {
        ports_[id.index()].busy = false;
        ask(id);
        if (packet.hop > 0) {
            const topology::Hop& before = packet.flight->route[packet.hop - 1];
            give_credit_back(before.link, before.virtual_channel, packet.wire);
        }
    });
    if (packet.hop == 0 && packet.last && packet.flight->message.wants_sent) {
        at(end, Phase::Arrival, engine::event_kind::message_sent, packet.flight->message.id.value(),
           [this, flight = packet.flight] { listener_->on_sent(flight->message.handle); });
    }
    at(end + link.latency, Phase::Arrival, kind_arrival, id.index(),
       [this, id, packet] { arrive(id, packet); });
}

void NaivePacketNetwork::arrive(LinkId id, Packet packet) {
    const std::shared_ptr<Flight> flight = packet.flight;
    const topology::Hop hop = flight->route[packet.hop];
    if (packet.hop + 1 == flight->route.size()) {
        give_credit_back(id, hop.virtual_channel, packet.wire);
        if (packet.last) {
            at(queue_.now(), Phase::Arrival, engine::event_kind::message_delivered,
               flight->message.id.value(), [this, flight] {
                   listener_->on_delivered(flight->message.handle, flight->first_byte_left);
               });
        }
        return;
    }
    const std::vector<LinkId>& inputs = graph_.links_to(graph_.link(id).to);
    const auto input =
        static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), id) - inputs.begin());
    const LinkId next = flight->route[++packet.hop].link;
    Port& port = ports_[next.index()];
    port.waiting += packet.wire;
    Bytes& most = uses_[next.index()].max_queue;
    most = std::max(most, port.waiting);
    port.queues[input * channels_ + hop.virtual_channel].push_back(std::move(packet));
    ask(next);
}

void NaivePacketNetwork::give_credit_back(LinkId id, std::size_t channel, Bytes bytes) {
    at(queue_.now() + graph_.link(id).latency, Phase::Arrival, kind_credit, ++credits_returned_,
       [this, id, channel, bytes] {
           ports_[id.index()].credit[channel] += bytes;
           ask(id);
       });
}

}  // namespace npunet::packet_test

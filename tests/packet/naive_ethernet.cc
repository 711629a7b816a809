#include "naive_ethernet.h"

#include <algorithm>
#include <cmath>

#include "base/splitmix64.h"

namespace npunet::packet_test {

using engine::Phase;
using topology::FlowControl;
using Kind = NaivePacket::Kind;

namespace {

constexpr Bytes request_size(64);
constexpr Bytes telemetry_size(8);
constexpr int most_telemetry = 64;  // records, in the largest packet

bool is_request(const NaivePacket& packet) {
    return packet.kind == Kind::Pause || packet.kind == Kind::Resume;
}

Bytes size_of(const std::deque<NaivePacket>& line) {
    Bytes size;
    for (const NaivePacket& packet : line) {
        size += packet.wire;
    }
    return size;
}

/// The link back of the k-th link from a to b is the k-th from b to a.
LinkId link_back(const topology::Graph& graph, LinkId id) {
    const auto between = [&graph](NodeId from, NodeId to) {
        std::vector<LinkId> links;
        for (const LinkId link : graph.links_from(from)) {
            if (graph.link(link).to == to) {
                links.push_back(link);
            }
        }
        return links;
    };
    const topology::Link& link = graph.link(id);
    const std::vector<LinkId> forth = between(link.from, link.to);
    const std::vector<LinkId> back = between(link.to, link.from);
    return back[static_cast<std::size_t>(std::find(forth.begin(), forth.end(), id) -
                                         forth.begin())];
}

}  // namespace

NaiveEthernet::NaiveEthernet(const topology::NetworkDescription& description,
                             engine::EventQueue& queue)
    : graph_(description.graph),
      parameters_(description.packet),
      needs_(topology::needs_of(description.packet.congestion_control)),
      queue_(queue),
      ports_(graph_.links()),
      nodes_(graph_.nodes()),
      uses_(graph_.links()),
      errors_(parameters_.error_rate, parameters_.seed),
      largest_(parameters_.mtu + parameters_.header +
               (needs_.telemetry ? most_telemetry * telemetry_size : Bytes(0))),
      transport_(description, queue, *this) {
    const std::size_t classes = parameters_.classes.count;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        Port& port = ports_[i];
        port.reverse = link_back(graph_, LinkId(i));
        port.queues.resize(classes);
        port.own_turn.resize(classes);
        port.paused.resize(classes);
        port.finish_tags.resize(classes);
        port.shared.resize(classes);
        port.headroom.resize(classes);
        port.told.resize(classes);
        port.most_headroom = headroom(LinkId(i));
        if (classes > 1) {
            uses_[i].classes_wire.resize(classes);
        }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i].room = description.shared_buffer_of(NodeId(i));
    }
}

/// What is on the link and its way back when a request waits for the largest packet and for one of
/// each other class, with the packet that asks and the one that is being sent.
Bytes NaiveEthernet::headroom(LinkId id) const {
    if (parameters_.shared_buffer.headroom > Bytes(0)) {
        return parameters_.shared_buffer.headroom;
    }
    const topology::Link& forth = graph_.link(id);
    const topology::Link& back = graph_.link(link_back(graph_, id));
    const Time span =
        transfer_time(largest_ + std::int64_t{parameters_.classes.count} * request_size,
                      back.rate) +
        back.latency + forth.latency;
    const Wide bytes =
        static_cast<Wide>(span.ps()) * forth.rate.bytes_per_second() / 1'000'000'000'000;
    return Bytes(static_cast<std::int64_t>(bytes) + 1) + 2 * largest_;
}

void NaiveEthernet::send(const engine::Message& message) {
    transport_.set_listener(listener_);
    transport_.send(message, message.traffic_class == engine::Message::by_kind
                                 ? parameters_.classes.of(message.kind)
                                 : message.traffic_class);
}

std::vector<engine::LinkUse> NaiveEthernet::link_use() const {
    std::vector<engine::LinkUse> uses = uses_;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const std::vector<bool>& paused = ports_[i].paused;
        if (std::find(paused.begin(), paused.end(), true) != paused.end()) {
            uses[i].credit_stall += queue_.now() - ports_[i].paused_since;
        }
    }
    return uses;
}

void NaiveEthernet::at(Time time, Phase phase, unsigned kind, std::uint64_t content,
                       std::uint64_t minor, std::function<void()> action) {
    actions_.push_back(std::move(action));
    queue_.schedule(time, engine::EventKey::of(phase, kind, content, minor), *this,
                    actions_.size() - 1);
}

void NaiveEthernet::handle(std::uint64_t payload) {
    const std::function<void()> action = std::move(actions_[payload]);
    action();
}

void NaiveEthernet::send_control(const NaivePacket& packet) {
    ports_[packet.route[packet.hop].index()].control.push_back(packet);
    ask(packet.route[packet.hop]);
}

void NaiveEthernet::ask(LinkId port) {
    at(queue_.now(), Phase::Arbitration, engine::event_kind::port, port.index(), 0,
       [this, port] { choose(port); });
}

/// Requests first, then control packets, then data.
void NaiveEthernet::choose(LinkId id) {
    Port& port = ports_[id.index()];
    if (port.busy) {
        return;
    }
    for (std::deque<NaivePacket>* line : {&port.requests, &port.control}) {
        if (!line->empty()) {
            const NaivePacket packet = line->front();
            line->pop_front();
            transmit(id, packet);
            return;
        }
    }
    if (const std::optional<std::size_t> chosen = choose_class(id)) {
        transmit(id, take_data(id, *chosen));
    }
}

/// Of those that have data and are not paused: the lowest, or the one with the least start tag.
std::optional<std::size_t> NaiveEthernet::choose_class(LinkId id) {
    Port& port = ports_[id.index()];
    std::optional<std::size_t> best;
    for (std::size_t c = 0; c < port.queues.size(); ++c) {
        if (port.paused[c] || (port.queues[c].empty() && !transport_.has_packet(id, c))) {
            continue;
        }
        const auto tag = [&port](std::size_t k) {
            return std::max(port.virtual_time, port.finish_tags[k]);
        };
        if (!best || (!parameters_.classes.weights.empty() && tag(c) < tag(*best))) {
            best = c;
        }
    }
    return best;
}

/// What came by other links and what starts here take turns.
NaivePacket NaiveEthernet::take_data(LinkId id, std::size_t traffic_class) {
    Port& port = ports_[id.index()];
    std::deque<NaivePacket>& line = port.queues[traffic_class];
    // The send queue is examined only when a packet of it could go.
    const bool own =
        (line.empty() || port.own_turn[traffic_class]) && transport_.has_packet(id, traffic_class);
    port.own_turn[traffic_class] = !own;
    if (own) {
        return transport_.take_packet(id, traffic_class);
    }
    const NaivePacket packet = line.front();
    line.pop_front();
    port.waiting -= packet.wire;
    return packet;
}

void NaiveEthernet::transmit(LinkId id, NaivePacket packet) {
    Port& port = ports_[id.index()];
    engine::LinkUse& use = uses_[id.index()];
    const topology::Link& link = graph_.link(id);
    const bool data = packet.kind == Kind::Data;
    const std::size_t c = packet.traffic_class;
    if (data && packet.hop > 0 && needs_.telemetry) {
        packet.telemetry.push_back({queue_.now().ps(), use.wire.value(),
                                    size_of(port.queues[c]).value(), link.rate.bytes_per_second()});
        packet.wire += telemetry_size;
    }
    if (data && !parameters_.classes.weights.empty()) {
        port.virtual_time = std::max(port.virtual_time, port.finish_tags[c]);
        port.finish_tags[c] = port.virtual_time + static_cast<Wide>(packet.wire.value()) * 1048576 /
                                                      parameters_.classes.weights[c];
    }
    const Time sending = transfer_time(packet.wire, link.rate);
    const Time end = queue_.now() + sending;
    port.busy = true;
    ++packet_hops_;
    ++use.packets;
    use.payload += packet.payload;
    use.wire += packet.wire;
    use.busy += sending;
    if (!use.classes_wire.empty()) {
        use.classes_wire[c] += packet.wire;
    }
    use.retransmissions += data && packet.repeated ? 1 : 0;
    const bool lost = errors_.is_corrupted(id.index(), port.transmissions++);
    use.drops += lost && !is_request(packet) ? 1 : 0;
    if (lost && is_request(packet)) {
        port.requests.push_front(packet);
    }
    if (data && packet.hop == 0) {
        transport_.leaves(packet, end);
    }
    at(end, Phase::Arbitration, engine::event_kind::port, id.index(), 0,
       [this, id, packet] { has_left(id, packet); });
    if (!lost) {
        at(end + link.latency, Phase::Arrival, engine::event_kind::packet_in, id.index(),
           port.in_flight++, [this, id, packet] { arrive(id, packet); });
    }
}

void NaiveEthernet::has_left(LinkId id, const NaivePacket& packet) {
    Port& port = ports_[id.index()];
    port.busy = false;
    if (packet.kind == Kind::Data && packet.hop > 0) {
        leave_buffer(packet);
    }
    ask(id);
}

void NaiveEthernet::arrive(LinkId id, NaivePacket packet) {
    if (is_request(packet)) {
        pause(ports_[id.index()].reverse, packet);
        return;
    }
    if (packet.hop + 1 == packet.route.size()) {
        transport_.receive(packet);
        return;
    }
    ++packet.hop;
    if (packet.kind == Kind::Data) {
        enqueue(id, packet);
    } else {
        send_control(packet);
    }
}

void NaiveEthernet::enqueue(LinkId input, NaivePacket packet) {
    const LinkId output = packet.route[packet.hop];
    Port& port = ports_[output.index()];
    engine::LinkUse& use = uses_[output.index()];
    packet.came_with = packet.wire;
    if (!take(input, output, packet)) {
        ++use.drops;
        return;
    }
    std::deque<NaivePacket>& line = port.queues[packet.traffic_class];
    if (is_marked(output, size_of(line))) {
        packet.marked = true;
        ++use.marked;
    }
    line.push_back(packet);
    port.waiting += packet.wire;
    use.max_queue = std::max(use.max_queue, port.waiting);
    ask(output);
}

/// What a queue may have.
Bytes NaiveEthernet::threshold(const Node& node) const {
    return Bytes(static_cast<std::int64_t>(parameters_.shared_buffer.alpha *
                                           static_cast<double>((node.room - node.used).value())));
}

/// Finds room for a packet that comes in.
bool NaiveEthernet::take(LinkId input, LinkId output, const NaivePacket& packet) {
    Node& node = nodes_[graph_.link(input).to.index()];
    const Bytes limit = threshold(node);
    if (parameters_.flow_control == FlowControl::None) {
        const Bytes queued = size_of(ports_[output.index()].queues[packet.traffic_class]);
        if (queued + packet.wire > limit || node.used + packet.wire > node.room) {
            return false;
        }
        node.used += packet.wire;
        return true;
    }
    Port& by = ports_[input.index()];
    const std::size_t c = packet.traffic_class;
    if (by.headroom[c] == Bytes(0) && by.shared[c] + packet.wire <= limit &&
        node.used + packet.wire <= node.room) {
        by.shared[c] += packet.wire;
        node.used += packet.wire;
        return true;
    }
    if (by.headroom[c] + packet.wire > by.most_headroom) {
        return false;
    }
    by.headroom[c] += packet.wire;
    if (!by.told[c]) {
        by.told[c] = true;
        request(input, Kind::Pause, c);
    }
    return true;
}

void NaiveEthernet::leave_buffer(const NaivePacket& packet) {
    const LinkId input = packet.route[packet.hop - 1];
    Node& node = nodes_[graph_.link(input).to.index()];
    if (parameters_.flow_control == FlowControl::None) {
        node.used -= packet.came_with;
        return;
    }
    Port& by = ports_[input.index()];
    const std::size_t c = packet.traffic_class;
    const Bytes of_headroom = std::min(by.headroom[c], packet.came_with);
    by.headroom[c] -= of_headroom;
    by.shared[c] -= packet.came_with - of_headroom;
    node.used -= packet.came_with - of_headroom;
    if (!by.told[c] || by.headroom[c] > Bytes(0)) {
        return;
    }
    if (by.shared[c] == Bytes(0) || by.shared[c] + 2 * largest_ <= threshold(node)) {
        by.told[c] = false;
        request(input, Kind::Resume, c);
    }
}

void NaiveEthernet::request(LinkId input, Kind kind, std::size_t traffic_class) {
    NaivePacket packet;
    packet.kind = kind;
    packet.traffic_class = traffic_class;
    packet.wire = request_size;
    const LinkId back = ports_[input.index()].reverse;
    std::deque<NaivePacket>& line = ports_[back.index()].requests;
    const auto opposite = std::find_if(line.begin(), line.end(), [&](const NaivePacket& other) {
        return other.traffic_class == traffic_class;
    });
    if (opposite != line.end()) {
        line.erase(opposite);
        return;
    }
    line.push_back(packet);
    ask(back);
}

void NaiveEthernet::pause(LinkId id, const NaivePacket& packet) {
    Port& port = ports_[id.index()];
    const auto any = [&port] {
        return std::find(port.paused.begin(), port.paused.end(), true) != port.paused.end();
    };
    const bool before = any();
    uses_[id.index()].pauses += packet.kind == Kind::Pause ? 1 : 0;
    port.paused[packet.traffic_class] = packet.kind == Kind::Pause;
    if (!before) {
        port.paused_since = queue_.now();
    } else if (!any()) {
        uses_[id.index()].credit_stall += queue_.now() - port.paused_since;
    }
    ask(id);
}

bool NaiveEthernet::is_marked(LinkId output, Bytes queued) {
    if (!needs_.echo && needs_.notification_interval == 0) {
        return false;
    }
    const std::uint64_t number = ports_[output.index()].arrivals++;
    const topology::EcnParameters& ecn = parameters_.ecn;
    const double scale = ecn.per == Rate(0)
                             ? 1
                             : static_cast<double>(graph_.link(output).rate.bytes_per_second()) /
                                   static_cast<double>(ecn.per.bytes_per_second());
    const auto scaled = [scale](Bytes bytes) {
        return static_cast<std::int64_t>(static_cast<double>(bytes.value()) * scale);
    };
    const std::int64_t above = queued.value() - scaled(ecn.kmin);
    const std::int64_t width = scaled(ecn.kmax) - scaled(ecn.kmin);
    if (above <= 0 || above > width) {
        return above > 0;
    }
    const std::uint64_t seed = splitmix64(parameters_.seed ^ 0x6d61726b);
    const std::uint64_t drawn = splitmix64(splitmix64(seed + output.index()) + number);
    return std::ldexp(static_cast<double>(drawn >> 11), -53) <
           ecn.pmax * (static_cast<double>(above) / static_cast<double>(width));
}

}  // namespace npunet::packet_test

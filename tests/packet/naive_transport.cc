#include "naive_transport.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/errors.h"
#include "base/splitmix64.h"
#include "packet/congestion/telemetry_records.h"

namespace npunet::packet_test {

using engine::Phase;
using topology::TransportKind;

namespace {

Bytes on_wire(Bytes payload, const topology::PacketParameters& parameters) {
    return std::max(payload + parameters.header, Bytes(1));
}

packet::FlowPath path_of(const std::vector<LinkId>& forth, const std::vector<LinkId>& back,
                         const topology::NetworkDescription& description) {
    packet::FlowPath path;
    path.packet = on_wire(description.packet.mtu, description.packet).value();
    path.hops = static_cast<std::int32_t>(forth.size());
    path.rate = description.graph.link(forth.front()).rate.bytes_per_second();
    path.slowest = path.rate;
    Time round_trip;
    for (const LinkId id : forth) {
        const topology::Link& link = description.graph.link(id);
        path.slowest = std::min(path.slowest, link.rate.bytes_per_second());
        round_trip += transfer_time(Bytes(path.packet), link.rate) + link.latency;
    }
    for (const LinkId id : back) {
        const topology::Link& link = description.graph.link(id);
        round_trip +=
            transfer_time(on_wire(Bytes(0), description.packet), link.rate) + link.latency;
    }
    path.round_trip = round_trip.ps();
    return path;
}

}  // namespace

NaiveTransport::NaiveTransport(const topology::NetworkDescription& description,
                               engine::EventQueue& queue, NaiveWire& wire)
    : description_(description),
      parameters_(description.packet),
      needs_(topology::needs_of(description.packet.congestion_control)),
      queue_(queue),
      wire_(wire) {}

std::size_t NaiveTransport::pair_of(const Key& key) {
    const auto [place, is_new] = numbers_.emplace(key, pairs_.size());
    if (!is_new) {
        return place->second;
    }
    Pair& pair = pairs_.emplace_back();
    const auto [source, destination, traffic_class] = key;
    pair.key = key;
    for (const topology::Hop& hop : description_.route(source, destination)) {
        pair.forth.push_back(hop.link);
    }
    for (const topology::Hop& hop : description_.route(destination, source)) {
        pair.back.push_back(hop.link);
    }
    const packet::FlowPath path = path_of(pair.forth, pair.back, description_);
    pair.control = packet::make_congestion_control(parameters_.congestion_control, path);
    pair.window = parameters_.transport.window;
    if (pair.window == Bytes(0)) {
        // Twice what the path holds, rounded up, and what one acknowledgement waits for.
        pair.window = Bytes(2 * static_cast<std::int64_t>(path.bandwidth_delay()) + 1) +
                      (parameters_.transport.ack_every + 1) * Bytes(path.packet);
    }
    pair.timeout = parameters_.transport.rto;
    if (pair.timeout == Time()) {
        pair.timeout = std::max(Time::ns(500'000), Time::ps(8 * path.round_trip));
    }
    return place->second;
}

std::uint64_t NaiveTransport::number_of(const Key& key) const {
    const auto nodes = static_cast<std::uint64_t>(description_.graph.nodes());
    return (std::get<0>(key).index() * nodes + std::get<1>(key).index()) *
               topology::TrafficClasses::most +
           std::get<2>(key);
}

void NaiveTransport::send(const engine::Message& message, std::size_t traffic_class) {
    const std::size_t number = pair_of({message.source, message.destination, traffic_class});
    Pair& pair = pairs_[number];
    if (pair.waiting.empty()) {
        put_off(pair);
    }
    Message added;
    added.message = message;
    added.first = pair.parts.size();
    Bytes left = message.bytes;
    do {
        Part part;
        part.message = pair.messages.size();
        part.payload = std::min(left, parameters_.mtu);
        part.wire = on_wire(part.payload, parameters_);
        left -= part.payload;
        pair.waiting.insert(pair.parts.size());
        pair.parts.push_back(part);
    } while (left > Bytes(0));
    added.last = pair.parts.size() - 1;
    pair.messages.push_back(added);
    review(number);
}

bool NaiveTransport::may_send(const Pair& pair) const {
    if (pair.waiting.empty()) {
        return false;
    }
    if (parameters_.transport.kind == TransportKind::None || pair.flying.empty()) {
        return true;
    }
    // The window has closed since, and the receiver would not answer what is under way.
    const bool forgotten =
        pair.asking.lower_bound(pair.acknowledged) == pair.asking.end() &&
        pair.in_flight < parameters_.transport.ack_every * on_wire(parameters_.mtu, parameters_);
    return is_open(pair) || forgotten;
}

/// Whether a full packet more is within its windows.
bool NaiveTransport::is_open(const Pair& pair) const {
    const Bytes after = pair.in_flight + on_wire(parameters_.mtu, parameters_);
    return after <= pair.window &&
           (pair.control == nullptr || after <= Bytes(pair.control->window()));
}

/// Lines a queue pair up that stands nowhere, if it may send.
void NaiveTransport::review(std::size_t number) {
    Pair& pair = pairs_[number];
    if (pair.stands || !may_send(pair)) {
        return;
    }
    pair.stands = true;
    const LinkId port = pair.forth.front();
    const std::size_t traffic_class = std::get<2>(pair.key);
    Line& line = lines_[{port, traffic_class}];
    join_those_due(line);
    if (pair.next_start <= queue_.now()) {
        line.ready.push_back(number);
        wire_.ask(port);
        return;
    }
    line.paced.emplace(pair.next_start, pair.key, number);
    wire_.at(pair.next_start, Phase::Arbitration, engine::event_kind::port, port.index(), 0,
             [this, port, &line] {
                 join_those_due(line);
                 wire_.ask(port);
             });
}

void NaiveTransport::join_those_due(Line& line) {
    while (!line.paced.empty() && std::get<0>(*line.paced.begin()) <= queue_.now()) {
        line.ready.push_back(std::get<2>(*line.paced.begin()));
        line.paced.erase(line.paced.begin());
    }
}

bool NaiveTransport::has_packet(LinkId port, std::size_t traffic_class) {
    Line& line = lines_[{port, traffic_class}];
    join_those_due(line);
    while (!line.ready.empty()) {
        const std::size_t number = line.ready.front();
        Pair& pair = pairs_[number];
        if (may_send(pair) && pair.next_start <= queue_.now()) {
            break;
        }
        line.ready.pop_front();
        pair.stands = false;
        review(number);
    }
    return !line.ready.empty();
}

NaivePacket NaiveTransport::take_packet(LinkId port, std::size_t traffic_class) {
    Line& line = lines_[{port, traffic_class}];
    const std::size_t number = line.ready.front();
    line.ready.pop_front();
    Pair& pair = pairs_[number];
    pair.stands = false;
    const std::uint64_t sequence = *pair.waiting.begin();
    Part& part = pair.parts[sequence];
    NaivePacket packet;
    packet.pair = number;
    packet.traffic_class = traffic_class;
    packet.route = pair.forth;
    packet.sequence = sequence;
    packet.payload = part.payload;
    packet.wire = part.wire;
    packet.sent_at = queue_.now();
    packet.repeated = part.sent_before;
    part.sent_before = true;
    Message& message = pair.messages[part.message];
    if (message.first_byte_left < Time()) {
        message.first_byte_left = queue_.now();
    }
    set_state(pair, sequence, State::Flying);
    pair.top = std::max(pair.top, sequence + 1);
    if (pair.deadline == Time::max() && parameters_.transport.kind != TransportKind::None) {
        start_timer(number);
    }
    if (pair.control != nullptr) {
        pair.control->packet_sent(queue_.now().ps(), part.wire.value());
        const std::int64_t rate = pair.control->rate(queue_.now().ps());
        if (rate != packet::CongestionControl::no_pacing) {
            pair.next_start = queue_.now() + transfer_time(part.wire, Rate(rate));
        }
    }
    packet.asks = pair.waiting.empty() || !is_open(pair);
    if (packet.asks || message.last == sequence) {
        pair.asking.insert(sequence);
    }
    review(number);
    return packet;
}

void NaiveTransport::leaves(const NaivePacket& packet, Time end) {
    if (parameters_.transport.kind != TransportKind::None) {
        return;
    }
    Pair& pair = pairs_[packet.pair];
    set_state(pair, packet.sequence, State::In);
    pair.acknowledged = packet.sequence + 1;
    tell_sent(pair, end);
}

/// Moves a packet among those that wait, are in flight, or are in.
void NaiveTransport::set_state(Pair& pair, std::uint64_t sequence, State state) {
    Part& part = pair.parts[sequence];
    if (part.state == State::Flying) {
        pair.in_flight -= part.wire;
    }
    pair.waiting.erase(sequence);
    pair.flying.erase(sequence);
    part.state = state;
    if (state == State::Flying) {
        pair.in_flight += part.wire;
        pair.flying.insert(sequence);
    } else if (state == State::Waiting) {
        pair.waiting.insert(sequence);
    }
}

void NaiveTransport::start_timer(std::size_t number) {
    Pair& pair = pairs_[number];
    pair.deadline = queue_.now() + (std::int64_t{1} << std::min(pair.backoff, 6)) * pair.timeout;
    wire_.at(pair.deadline, Phase::Arrival, engine::event_kind::timeout, number_of(pair.key), 0,
             [this, number] { timer_due(number); });
}

void NaiveTransport::timer_due(std::size_t number) {
    Pair& pair = pairs_[number];
    if (pair.deadline != queue_.now()) {
        return;
    }
    pair.deadline = Time::max();
    ++pair.backoff;
    if (parameters_.transport.retries > 0 && pair.backoff > parameters_.transport.retries) {
        throw StallError(
            fmt::format("at {} ps {} gave up to send to {} (class {})", queue_.now().ps(),
                        description_.graph.name(std::get<0>(pair.key)),
                        description_.graph.name(std::get<1>(pair.key)), std::get<2>(pair.key)));
    }
    give_up_all(pair);
    pair.recovery_end = pair.top;
    if (pair.control != nullptr) {
        pair.control->lost(queue_.now().ps(), true);
    }
    review(number);
}

void NaiveTransport::receive(const NaivePacket& packet) {
    if (packet.kind == NaivePacket::Kind::Data) {
        receive_data(packet);
    } else if (packet.kind == NaivePacket::Kind::Notification) {
        pairs_[packet.pair].control->notified(queue_.now().ps());
        review(packet.pair);
    } else {
        receive_answer(packet);
    }
}

void NaiveTransport::receive_answer(const NaivePacket& packet) {
    Pair& pair = pairs_[packet.pair];
    Bytes news;
    const auto is_in = [&](std::uint64_t sequence) {
        if (pair.parts[sequence].state != State::In) {
            news += pair.parts[sequence].wire;
            set_state(pair, sequence, State::In);
        }
    };
    for (std::uint64_t sequence = pair.acknowledged; sequence < packet.sequence; ++sequence) {
        is_in(sequence);
    }
    pair.acknowledged = std::max(pair.acknowledged, packet.sequence);
    if (parameters_.transport.kind == TransportKind::SelectiveRepeat) {
        is_in(packet.cause);
    }
    tell_sent(pair, queue_.now());
    if (packet.kind == NaivePacket::Kind::GoBack && packet.sequence == pair.acknowledged &&
        !pair.flying.empty()) {
        give_up_all(pair);
        if (pair.control != nullptr) {
            pair.control->lost(queue_.now().ps(), false);
        }
    }
    if (packet.kind == NaivePacket::Kind::Answer) {
        judge(pair);
    }
    if (news > Bytes(0)) {
        pair.backoff = 0;
        pair.deadline = Time::max();
        if (!pair.flying.empty()) {
            start_timer(packet.pair);
        }
    }
    if (pair.control != nullptr) {
        packet::Acknowledgement heard;
        heard.now = queue_.now().ps();
        heard.bytes = news.value();
        heard.marked = std::min(packet.marked_bytes, news).value();
        heard.round_trip = (queue_.now() - packet.sent_at).ps();
        heard.next = packet.sequence;
        heard.sent = pair.top;
        heard.telemetry = packet.telemetry.data();
        heard.hops = static_cast<std::uint32_t>(packet.telemetry.size());
        pair.control->acknowledged(heard);
    }
    review(packet.pair);
}

/// A queue pair that starts sending, or goes back, waits for a drawn time.
void NaiveTransport::put_off(Pair& pair) const {
    const Time most = parameters_.transport.start_jitter;
    if (most == Time()) {
        return;
    }
    const auto [source, destination, traffic_class] = pair.key;
    const std::uint64_t key = (static_cast<std::uint64_t>(source.index()) << 30) |
                              (static_cast<std::uint64_t>(destination.index()) << 8) |
                              traffic_class;
    const std::uint64_t drawn =
        splitmix64(splitmix64(splitmix64(parameters_.seed ^ 0x73746172U) + key) + pair.starts++);
    __extension__ using Wide = unsigned __int128;
    const Wide wait = static_cast<Wide>(drawn) * static_cast<std::uint64_t>(most.ps() + 1) >> 64;
    pair.next_start =
        std::max(pair.next_start, queue_.now() + Time::ps(static_cast<std::int64_t>(wait)));
}

void NaiveTransport::give_up_all(Pair& pair) {
    put_off(pair);
    pair.asking.clear();
    while (!pair.flying.empty()) {
        set_state(pair, *pair.flying.begin(), State::Waiting);
    }
}

/// Packets that are not in though one beyond those that may come first is have to be sent again.
void NaiveTransport::judge(Pair& pair) {
    if (parameters_.transport.kind != TransportKind::SelectiveRepeat) {
        return;
    }
    const auto tolerated =
        static_cast<std::uint64_t>(std::max(parameters_.transport.reordering, 0));
    std::optional<std::uint64_t> highest;
    std::set<std::uint64_t> lost;
    for (std::uint64_t sequence = pair.top; sequence-- > pair.acknowledged;) {
        Part& part = pair.parts[sequence];
        if (part.state == State::In) {
            highest = std::max(highest.value_or(0), sequence);
        } else if (highest && *highest > sequence + tolerated && !part.judged) {
            part.judged = true;
            if (part.state == State::Flying) {
                lost.insert(sequence);
            }
        }
    }
    for (const std::uint64_t sequence : lost) {
        set_state(pair, sequence, State::Waiting);
        if (sequence >= pair.recovery_end) {
            pair.recovery_end = pair.top;
            if (pair.control != nullptr) {
                pair.control->lost(queue_.now().ps(), false);
            }
        }
    }
}

void NaiveTransport::receive_data(const NaivePacket& packet) {
    Pair& pair = pairs_[packet.pair];
    if (packet.marked) {
        notice_mark(packet);
    }
    const bool none = parameters_.transport.kind == TransportKind::None;
    if (packet.sequence > pair.expected && parameters_.transport.kind == TransportKind::GoBackN) {
        if (!pair.asked_back) {
            pair.asked_back = true;
            answer(NaivePacket::Kind::GoBack, packet);
        }
        return;
    }
    if (packet.sequence != pair.expected) {
        if (packet.sequence > pair.expected) {
            pair.early.insert(packet.sequence);
        }
        answer(NaivePacket::Kind::Answer, packet);
        return;
    }
    pair.asked_back = false;
    bool ends = false;
    pair.early.insert(packet.sequence);
    while (pair.early.erase(pair.expected) > 0) {
        const Part& part = pair.parts[pair.expected];
        ends = ends || pair.messages[part.message].last == pair.expected;
        ++pair.expected;
    }
    ++pair.unanswered;
    const bool fills = pair.expected > packet.sequence + 1;
    const bool enough = pair.unanswered >= parameters_.transport.ack_every;
    if (!none && (ends || fills || packet.asks || enough)) {
        answer(NaivePacket::Kind::Answer, packet);
    }
    deliver(pair);
}

void NaiveTransport::answer(NaivePacket::Kind kind, const NaivePacket& cause) {
    Pair& pair = pairs_[cause.pair];
    NaivePacket packet = cause;
    packet.kind = kind;
    packet.route = pair.back;
    packet.hop = 0;
    packet.sequence = pair.expected;
    packet.cause = cause.sequence;
    packet.payload = Bytes(0);
    packet.wire = on_wire(Bytes(0), parameters_);
    if (kind != NaivePacket::Kind::Notification) {
        packet.wire +=
            static_cast<std::int64_t>(packet.telemetry.size()) * Bytes(packet::telemetry_bytes);
        packet.marked_bytes = pair.marked_bytes;
        pair.marked_bytes = Bytes(0);
        pair.unanswered = 0;
    }
    wire_.send_control(packet);
}

void NaiveTransport::notice_mark(const NaivePacket& packet) {
    Pair& pair = pairs_[packet.pair];
    pair.marked_bytes += on_wire(packet.payload, parameters_);
    const Time interval = Time::ps(needs_.notification_interval);
    if (interval > Time() &&
        (pair.last_notified < Time() || queue_.now() - pair.last_notified >= interval)) {
        pair.last_notified = queue_.now();
        answer(NaivePacket::Kind::Notification, packet);
    }
}

void NaiveTransport::deliver(Pair& pair) {
    for (Message& message : pair.messages) {
        if (!message.delivered && message.last < pair.expected) {
            message.delivered = true;
            wire_.at(queue_.now(), Phase::Arrival, engine::event_kind::message_delivered,
                     message.message.id.value(), 0,
                     [this, handle = message.message.handle, left = message.first_byte_left] {
                         listener_->on_delivered(handle, left);
                     });
        }
    }
}

/// The source of every message whose packets are all in, or have left for good, hears so.
void NaiveTransport::tell_sent(Pair& pair, Time when) {
    for (Message& message : pair.messages) {
        if (!message.acknowledged && message.last < pair.acknowledged) {
            message.acknowledged = true;
            if (message.message.wants_sent) {
                wire_.at(when, Phase::Arrival, engine::event_kind::message_sent,
                         message.message.id.value(), 0,
                         [this, handle = message.message.handle] { listener_->on_sent(handle); });
            }
        }
    }
}

}  // namespace npunet::packet_test

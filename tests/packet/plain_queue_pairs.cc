#include "plain_queue_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace npunet::packet_test::plain {

namespace {

std::vector<LinkId> links_of(const topology::NetworkDescription& description, NodeId source,
                             NodeId destination) {
    std::vector<LinkId> links;
    for (const topology::Hop& hop : description.route(source, destination)) {
        links.push_back(hop.link);
    }
    return links;
}

}  // namespace

QueuePairs::QueuePairs(const topology::NetworkDescription& description, const Plan& plan)
    : description_(description),
      plan_(plan),
      lines_(description.graph.links()),
      outcomes_(plan.size()) {}

Time QueuePairs::next_time(Time now) const {
    Time next = Time::max();
    const auto consider = [&](Time time) {
        if (time > now) {
            next = std::min(next, time);
        }
    };
    for (const Line& line : lines_) {
        if (!line.waiting.empty()) {
            consider(std::get<0>(*line.waiting.begin()));
        }
    }
    for (const Pair& pair : pairs_) {
        consider(pair.sender.deadline());
    }
    for (const PlannedMessage& message : plan_) {
        if (message.after < 0) {
            consider(message.start);
        }
    }
    return next;
}

// Lines.

void QueuePairs::join_those_due(Time now) {
    for (Line& line : lines_) {
        while (!line.waiting.empty() && std::get<0>(*line.waiting.begin()) == now) {
            line.ready.push_back(std::get<3>(*line.waiting.begin()));
            line.waiting.erase(line.waiting.begin());
        }
    }
}

void QueuePairs::line_up(std::size_t number, Time now) {
    Pair& pair = pairs_[number];
    if (pair.in_line || !pair.sender.may_send()) {
        return;
    }
    pair.in_line = true;
    Line& line = lines_[pair.forth.front().index()];
    const Time start = pair.sender.next_start();
    if (start > now) {
        line.waiting.emplace(start, pair.source, pair.destination, number);
    } else {
        line.ready.push_back(number);
    }
}

/// One whose turn it is and that may not send now leaves the line.
bool QueuePairs::has_packet(LinkId port, Time now) {
    std::deque<std::size_t>& ready = lines_[port.index()].ready;
    while (!ready.empty()) {
        const std::size_t number = ready.front();
        Pair& pair = pairs_[number];
        if (pair.sender.may_send() && pair.sender.next_start() <= now) {
            return true;
        }
        ready.pop_front();
        pair.in_line = false;
        line_up(number, now);
    }
    return false;
}

Packet QueuePairs::take_packet(LinkId port, Time now) {
    std::deque<std::size_t>& ready = lines_[port.index()].ready;
    const std::size_t number = ready.front();
    ready.pop_front();
    Pair& pair = pairs_[number];
    pair.in_line = false;
    Packet packet = pair.sender.take_packet(now);
    packet.pair = number;
    packet.route = &pair.forth;
    for (const Message& message : pair.messages) {
        if (packet.number <= message.last) {
            Time& left = outcomes_[message.index].first_byte_left;
            left = left < Time() ? now : left;
            break;
        }
    }
    line_up(number, now);
    return packet;
}

// Messages and timers.

std::size_t QueuePairs::pair_of(NodeId source, NodeId destination) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        if (pairs_[i].source == source && pairs_[i].destination == destination) {
            return i;
        }
    }
    const topology::PacketParameters& parameters = description_.packet;
    pairs_.push_back({source,
                      destination,
                      links_of(description_, source, destination),
                      links_of(description_, destination, source),
                      Sender(parameters, settings_of(source, destination)),
                      Receiver(parameters.transport),
                      {}});
    return pairs_.size() - 1;
}

SenderSettings QueuePairs::settings_of(NodeId source, NodeId destination) const {
    const topology::PacketParameters& parameters = description_.packet;
    const topology::TransportParameters& transport = parameters.transport;
    const Bytes full = full_packet(parameters);
    Time round_trip;
    Rate slowest = Rate(std::numeric_limits<std::int64_t>::max());
    for (const LinkId id : links_of(description_, source, destination)) {
        const topology::Link& link = description_.graph.link(id);
        slowest = std::min(slowest, link.rate);
        round_trip += transfer_time(full, link.rate) + link.latency;
    }
    for (const LinkId id : links_of(description_, destination, source)) {
        const topology::Link& link = description_.graph.link(id);
        round_trip += transfer_time(wire_of(Bytes(0), parameters), link.rate) + link.latency;
    }
    const double product = static_cast<double>(slowest.bytes_per_second()) *
                           static_cast<double>(round_trip.ps()) / 1e12;
    SenderSettings settings;
    settings.window = transport.window > Bytes(0)
                          ? transport.window
                          : Bytes(2 * static_cast<std::int64_t>(std::floor(product)) + 1) +
                                (transport.ack_every + 1) * full;
    settings.timeout = transport.rto > Time()
                           ? transport.rto
                           : std::max(Time::ns(500'000), Time::ps(8 * round_trip.ps()));
    settings.key = (static_cast<std::uint64_t>(source.index()) << 30) |
                   (static_cast<std::uint64_t>(destination.index()) << 8);
    return settings;
}

void QueuePairs::send_planned(Time now) {
    for (std::size_t i = 0; i < plan_.size(); ++i) {
        if (plan_[i].after < 0 && plan_[i].start == now) {
            send(i, now);
        }
    }
}

void QueuePairs::send(std::size_t index, Time now) {
    const PlannedMessage& message = plan_[index];
    const std::size_t number = pair_of(message.source, message.destination);
    Pair& pair = pairs_[number];
    const std::size_t last = pair.sender.add_message(message.bytes, now);
    pair.receiver.add_message(last);
    pair.messages.push_back({index, last});
    line_up(number, now);
}

void QueuePairs::run_out_timers(Time now) {
    std::vector<std::tuple<NodeId, NodeId, std::size_t>> due;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        if (pairs_[i].sender.deadline() == now) {
            due.emplace_back(pairs_[i].source, pairs_[i].destination, i);
        }
    }
    std::sort(due.begin(), due.end());
    for (const auto& [source, destination, number] : due) {
        if (!pairs_[number].sender.time_out(now)) {
            const topology::Graph& graph = description_.graph;
            gave_up_ = fmt::format("at {} ps {} gave up to send to {} (class 0", now.ps(),
                                   graph.name(source), graph.name(destination));
            return;
        }
        line_up(number, now);
    }
}

// What arrives.

std::optional<Packet> QueuePairs::receive(const Packet& packet, Time now) {
    Pair& pair = pairs_[packet.pair];
    if (packet.kind != Kind::Data) {
        pair.sender.receive_answer(packet, now);
        tell_sent(pair, now);
        line_up(packet.pair, now);
        return std::nullopt;
    }
    const std::optional<Kind> kind = pair.receiver.receive_data(packet);
    std::optional<Packet> answer;
    if (kind) {
        answer.emplace();
        answer->kind = *kind;
        answer->pair = packet.pair;
        answer->number = pair.receiver.expected();
        answer->cause = packet.number;
        answer->route = &pair.back;
        answer->wire = wire_of(Bytes(0), description_.packet);
    }
    deliver(pair, now);
    return answer;
}

void QueuePairs::tell_sent(Pair& pair, Time now) {
    while (pair.told_sent < pair.messages.size() &&
           pair.messages[pair.told_sent].last < pair.sender.acknowledged()) {
        const std::size_t index = pair.messages[pair.told_sent++].index;
        outcomes_[index].sent = plan_[index].wants_sent ? now : Time::ps(-1);
    }
}

void QueuePairs::deliver(Pair& pair, Time now) {
    std::vector<std::size_t> complete;
    while (pair.told_delivered < pair.receiver.complete()) {
        complete.push_back(pair.messages[pair.told_delivered++].index);
    }
    // By number, which here is not the order in which they were sent.
    std::sort(complete.begin(), complete.end());
    for (const std::size_t index : complete) {
        outcomes_[index].delivered = now;
        ++outcomes_[index].deliveries;
        for (std::size_t i = 0; i < plan_.size(); ++i) {
            if (plan_[i].after == static_cast<int>(index)) {
                send(i, now);
            }
        }
    }
}

std::vector<Outcome> QueuePairs::outcomes() const {
    std::vector<Outcome> outcomes = outcomes_;
    for (Outcome& outcome : outcomes) {
        // Told with the delivery.
        outcome.first_byte_left = outcome.deliveries > 0 ? outcome.first_byte_left : Time::ps(-1);
    }
    return outcomes;
}

std::map<std::pair<NodeId, NodeId>, LossyFlow> QueuePairs::flows() const {
    std::map<std::pair<NodeId, NodeId>, LossyFlow> flows;
    for (const Pair& pair : pairs_) {
        flows[{pair.source, pair.destination}] = pair.sender.use();
    }
    return flows;
}

}  // namespace npunet::packet_test::plain

#include "plain_switches.h"

#include <algorithm>
#include <cmath>

namespace npunet::packet_test::plain {

namespace {

Bytes size_of(const std::deque<Packet>& queue) {
    Bytes size;
    for (const Packet& packet : queue) {
        size += packet.wire;
    }
    return size;
}

bool is_request(const Packet& packet) {
    return packet.kind == Kind::Pause || packet.kind == Kind::Resume;
}

}  // namespace

Switches::Switches(const topology::NetworkDescription& description, Npus& npus)
    : graph_(description.graph),
      parameters_(description.packet),
      npus_(npus),
      back_(links_back(graph_)),
      buffers_(description, back_),
      ports_(graph_.links()),
      uses_(graph_.links()) {}

Time Switches::next_time(Time now) const {
    Time next = Time::max();
    const auto consider = [&](Time time) {
        if (time > now) {
            next = std::min(next, time);
        }
    };
    for (const Port& port : ports_) {
        consider(port.busy_until);
        if (!port.flying.empty()) {
            consider(port.flying.front().first);
        }
    }
    return next;
}

void Switches::arrive(Time now) {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        std::deque<std::pair<Time, Packet>>& flying = ports_[i].flying;
        if (!flying.empty() && flying.front().first == now) {
            const Packet packet = flying.front().second;
            flying.pop_front();
            arrive_by(LinkId(i), packet, now);
        }
    }
}

void Switches::arrive_by(LinkId id, Packet packet, Time now) {
    if (is_request(packet)) {
        obey(back_[id.index()], packet.kind == Kind::Pause, now);
        return;
    }
    if (++packet.hop == packet.route->size()) {
        if (const std::optional<Packet> answer = npus_.receive(packet, now)) {
            ports_[answer->route->front().index()].control.push_back(*answer);
        }
        return;
    }
    const LinkId output = (*packet.route)[packet.hop];
    Port& out = ports_[output.index()];
    if (packet.kind != Kind::Data) {
        out.control.push_back(packet);
        return;
    }
    engine::LinkUse& use = uses_[output.index()];
    const Buffers::Room room = buffers_.take_room(id, packet.wire, size_of(out.passing));
    if (room.pause) {
        request(id, Kind::Pause);
    }
    if (!room.found) {
        ++use.drops;
        return;
    }
    out.passing.push_back(packet);
    use.max_queue = std::max(use.max_queue, size_of(out.passing));
}

void Switches::send(Time now) {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        free_room(LinkId(i), now);
        choose(LinkId(i), now);
    }
    // A port of a lower number may have been given a request.
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        choose(LinkId(i), now);
    }
}

/// What has left a node gives its room back when its port chooses again.
void Switches::free_room(LinkId id, Time now) {
    Port& port = ports_[id.index()];
    if (!port.left || port.busy_until > now) {
        return;
    }
    const LinkId input = (*port.left->route)[port.left->hop - 1];
    if (buffers_.give_back(input, port.left->wire)) {
        request(input, Kind::Resume);
    }
    port.left.reset();
}

void Switches::choose(LinkId id, Time now) {
    Port& port = ports_[id.index()];
    if (port.busy_until > now) {
        return;
    }
    for (std::deque<Packet>* queue : {&port.requests, &port.control}) {
        if (!queue->empty()) {
            const Packet packet = queue->front();
            queue->pop_front();
            transmit(id, packet, now);
            return;
        }
    }
    if (port.paused) {
        return;
    }
    // The line of queue pairs is looked at only where it could be its turn.
    if ((port.passing.empty() || port.own_turn) && npus_.has_packet(id, now)) {
        port.own_turn = false;
        transmit(id, npus_.take_packet(id, now), now);
    } else if (!port.passing.empty()) {
        port.own_turn = true;
        port.left = port.passing.front();
        port.passing.pop_front();
        transmit(id, *port.left, now);
    }
}

void Switches::transmit(LinkId id, const Packet& packet, Time now) {
    Port& port = ports_[id.index()];
    engine::LinkUse& use = uses_[id.index()];
    const topology::Link& link = graph_.link(id);
    __extension__ using Wide = __int128;
    const Wide rate = link.rate.bytes_per_second();
    const Wide scaled = static_cast<Wide>(packet.wire.value()) * 1'000'000'000'000;
    const Time sending = Time::ps(static_cast<std::int64_t>((scaled + rate - 1) / rate));
    port.busy_until = now + sending;
    ++packet_hops_;
    ++use.packets;
    use.payload += packet.payload;
    use.wire += packet.wire;
    use.busy += sending;
    use.retransmissions += packet.repeated ? 1 : 0;
    if (is_corrupted(id, port.transmissions++)) {
        if (is_request(packet)) {
            port.requests.push_front(packet);
        } else {
            ++use.drops;
        }
        return;
    }
    port.flying.emplace_back(port.busy_until + link.latency, packet);
}

bool Switches::is_corrupted(LinkId id, std::uint64_t transmission) const {
    const auto below = static_cast<std::uint64_t>(std::ldexp(parameters_.error_rate, 64));
    return mixed(mixed(mixed(parameters_.seed) + id.index()) + transmission) < below;
}

/// To the other end of `input`. One that waits there is the opposite: both vanish.
void Switches::request(LinkId input, Kind kind) {
    std::deque<Packet>& waiting = ports_[back_[input.index()].index()].requests;
    if (!waiting.empty()) {
        waiting.clear();
        return;
    }
    Packet packet;
    packet.kind = kind;
    packet.wire = request_size;
    waiting.push_back(packet);
}

void Switches::obey(LinkId id, bool pause, Time now) {
    Port& port = ports_[id.index()];
    engine::LinkUse& use = uses_[id.index()];
    use.pauses += pause ? 1 : 0;
    if (pause && !port.paused) {
        port.paused_since = now;
    } else if (!pause && port.paused) {
        use.credit_stall += now - port.paused_since;
    }
    port.paused = pause;
}

std::vector<engine::LinkUse> Switches::uses(Time now) const {
    std::vector<engine::LinkUse> uses = uses_;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        uses[i].credit_stall += ports_[i].paused ? now - ports_[i].paused_since : Time();
    }
    return uses;
}

}  // namespace npunet::packet_test::plain

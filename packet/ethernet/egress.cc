#include "packet/ethernet/egress.h"

namespace npunet::packet {

void EthernetEgress::wake(std::uint32_t number) {
    const std::int64_t now = state_.clock.now();
    if (!state_.clock.is_suspended() &&
        PortSchedule<EthernetPort>::take_due(state_.ports[number], now)) {
        decide(number, now);
    }
}

void EthernetEgress::decide(std::uint32_t number, std::int64_t now) {
    EthernetPort& port = state_.ports[number];
    // Busy only for what something else sent after this instant's decisions.
    if (port.busy_until > now) {
        state_.schedule.arm(number, port.busy_until);
        return;
    }
    state_.schedule.set_deciding(number);
    flow_control_.release(port);
    const std::int64_t up = port.irregular ? up_again(number, now) : now;
    const std::uint32_t place = up > now ? none : arbiter_.choose(number, now);
    state_.schedule.set_deciding(none);
    if (place != none) {
        transmit(number, place, now);
        if (decides_next(number)) {
            state_.schedule.arm(number, port.busy_until);
        }
        return;
    }
    const std::int64_t next = up > now ? up : arbiter_.next_time(number);
    if (next != never) {
        state_.schedule.arm(number, next);
    }
}

bool EthernetEgress::decides_next(std::uint32_t number) const {
    const EthernetPort& port = state_.ports[number];
    return port.irregular || port.requests.head != none || arbiter_.is_wanted(number) ||
           (port.leaving_input != none &&
            (state_.schedule.windows() == nullptr || flow_control_.releases_at_once(port.node)));
}

std::int64_t EthernetEgress::up_again(std::uint32_t number, std::int64_t now) {
    const std::int64_t up = links_.up_from(number, now);
    if (up == never) {
        lose_datagrams(number, now);
    }
    // Duplicates of received packets may remain when all messages are done: no stall.
    if (up == never && pairs_.is_busy() && arbiter_.is_wanted(number)) {
        links_.refuse(number, now);
    }
    return up;
}

void EthernetEgress::lose_datagrams(std::uint32_t number, std::int64_t now) {
    for (std::uint32_t traffic_class = 0; traffic_class < state_.class_count; ++traffic_class) {
        std::uint32_t place = arbiter_.take_datagram(number, traffic_class, now);
        for (; place != none; place = arbiter_.take_datagram(number, traffic_class, now)) {
            // A copy, as RESUME frames are packets, too.
            const EthernetPacket packet = state_.packets[place];
            if (packet.input == none) {
                pairs_.leaves(packet, now);
            } else {
                leave_queue(number, packet, now);
            }
            drops_.drop(number, place, PacketDrop::LinkDown, "on a dead link");
        }
    }
}

void EthernetEgress::leave_queue(std::uint32_t number, const EthernetPacket& packet,
                                 std::int64_t now) {
    if (state_.observer != nullptr) {
        state_.observer->packet_gave_up(LinkId(std::size_t{number}), Bytes(packet.wire),
                                        Time::ps(now));
    }
    flow_control_.free_room(state_.ports[number].node, packet.input, packet.traffic_class,
                            packet.wire);
}

void EthernetEgress::transmit(std::uint32_t number, std::uint32_t place, std::int64_t now) {
    EthernetPort& port = state_.ports[number];
    EthernetPacket& packet = state_.packets[place];
    const bool passing = packet.input != none;
    const bool data = !is_control(packet);
    const Bytes waited(packet.wire);
    if (data && passing && packet.telemetry != none) {
        state_.telemetry[packet.telemetry].push_back(
            {now, port.sent, arbiter_.queued(number, packet.traffic_class), port.rate});
        packet.wire += telemetry_bytes;
    }
    const LinkPassage passage = links_.cross(number, packet.wire, now);
    count(number, packet, now, passage.end);
    if (state_.observer != nullptr) {
        state_.observer->packet_started(LinkId(std::size_t{number}), state_.observed(place, number),
                                        passage.lost ? Time::max() : Time::ps(passage.arrival),
                                        data && passing ? waited : Bytes());
    }
    if (data && !passing) {
        pairs_.leaves(packet, passage.end);
        if (!packet.datagram) {
            fast_forward_.packet_starts(number, packet.pair, now, passage.end);
        }
    }
    if (passage.lost) {
        lose(number, place, passage.corrupted ? PacketDrop::Corrupted : PacketDrop::LinkDown);
        return;
    }
    const bool passes_on = !is_request(packet.kind) && !routes_.is_last(packet);
    packet.arrival = passage.arrival;
    const std::int64_t ready = passes_on ? passage.header_in : passage.arrival;
    if (port.cut) {
        frames_->leave(number, place, ready);
        return;
    }
    if (!passes_on && state_.schedule.windows() != nullptr && pairs_.may_end_message(packet)) {
        state_.schedule.end_windows_at(ready);
    }
    links_.fly(number, place, ready);
}

void EthernetEgress::count(std::uint32_t number, const EthernetPacket& packet, std::int64_t now,
                           std::int64_t end) {
    EthernetPort& port = state_.ports[number];
    port.busy += end - now;
    if (state_.load != nullptr) {
        state_.load->add(number, now, end);
    }
    port.busy_until = end;
    port.sent += packet.wire;
    port.payload += packet.payload;
    port.repeated += packet.repeated ? 1 : 0;
    ++port.packets;
    port.notifications += packet.kind == PacketKind::Notification ? 1 : 0;
    if (state_.class_count > 1) {
        state_.classes.of_port(number)[packet.traffic_class].wire += packet.wire;
        if (!is_control(packet)) {
            state_.classes.charge(number, packet.traffic_class, packet.wire);
        }
    }
}

void EthernetEgress::lose(std::uint32_t number, std::uint32_t place, PacketDrop why) {
    if (is_request(state_.packets[place].kind)) {
        state_.ports[number].requests.prepend(state_.packets, place, state_.clock.now());
        return;
    }
    drops_.drop(number, place, why, "on the link");
}

}  // namespace npunet::packet

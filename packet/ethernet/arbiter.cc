#include "packet/ethernet/arbiter.h"

#include <algorithm>

namespace npunet::packet {

std::uint32_t EthernetArbiter::choose_by_class(std::uint32_t number, std::int64_t now) {
    const std::uint32_t paused = state_.ports[number].paused;
    std::uint32_t open = 0;
    for (std::uint32_t traffic_class = 0; traffic_class < state_.class_count; ++traffic_class) {
        const bool stands = (paused >> traffic_class & 1U) != 0;
        open |= !stands && has_data(number, traffic_class, now) ? 1U << traffic_class : 0U;
    }
    return open == 0 ? none : take_data(number, state_.classes.first(number, open), now);
}

std::uint32_t EthernetArbiter::take_data(std::uint32_t number, std::uint32_t traffic_class,
                                         std::int64_t now) {
    EthernetPort& port = state_.ports[number];
    const std::uint32_t bit = 1U << traffic_class;
    const bool passing = queues_.has_data(number, traffic_class, now);
    const bool own = port.starts_here && (!passing || (port.own_next & bit) != 0) &&
                     pairs_.send_queues().has_packet(number, traffic_class, now);
    if (own) {
        port.own_next &= ~bit;
        return pairs_.take_packet(number, traffic_class, now);
    }
    port.own_next |= bit;
    const std::uint32_t place = queues_.take(number, traffic_class);
    queues_.depart(number, state_.packets[place], now);
    return place;
}

std::uint32_t EthernetArbiter::take_datagram(std::uint32_t number, std::uint32_t traffic_class,
                                             std::int64_t now) {
    if (queues_.has_data(number, traffic_class, now) &&
        state_.packets[queues_.of(number, traffic_class).packets.head].datagram) {
        return queues_.take(number, traffic_class);
    }
    SendQueues& starting = pairs_.send_queues();
    const bool own = state_.ports[number].starts_here &&
                     starting.has_packet(number, traffic_class, now) &&
                     starting.brings_datagram(number, traffic_class);
    return own ? pairs_.take_packet(number, traffic_class, now) : none;
}

std::int64_t EthernetArbiter::next_time(std::uint32_t number) const {
    const EthernetPort& port = state_.ports[number];
    std::int64_t earliest = port.control.first_ready;
    for (std::uint32_t traffic_class = 0; traffic_class < state_.class_count; ++traffic_class) {
        if ((port.paused >> traffic_class & 1U) != 0) {
            continue;
        }
        earliest = std::min(earliest, queues_.next_time(number, traffic_class));
        if (port.starts_here) {
            earliest = std::min(earliest, pairs_.send_queues().next_time(number, traffic_class));
        }
    }
    return earliest;
}

bool EthernetArbiter::is_wanted(std::uint32_t number) const {
    const EthernetPort& port = state_.ports[number];
    bool wanted = port.control.head != none || port.filled != 0;
    for (std::uint32_t traffic_class = 0; port.starts_here && traffic_class < state_.class_count;
         ++traffic_class) {
        wanted = wanted || pairs_.send_queues().any_waits(number, traffic_class);
    }
    return wanted;
}

}  // namespace npunet::packet

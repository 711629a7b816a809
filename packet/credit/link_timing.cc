#include "packet/credit/link_timing.h"

#include "base/errors.h"
#include "engine/clock/clock_limit.h"

#include <algorithm>

namespace npunet::packet {

using engine::later;

LinkTiming::LinkTiming(const topology::NetworkDescription& description)
    : graph_(description.graph),
      clock_(description),
      errors_(description.packet.error_rate, description.packet.seed) {
    if (clock_.faulty() || errors_.any()) {
        last_arrival_.resize(graph_.links());
        transmissions_.resize(graph_.links());
    }
}

bool LinkTiming::gets_through(std::uint32_t link, std::int64_t now, std::uint32_t wire) {
    const std::int64_t last_arrival = last_arrival_[link];
    const std::uint64_t transmissions = transmissions_[link];
    bool through = true;
    try {
        cross(link, now, wire, wire);
    } catch (const StallError&) {
        through = false;
    }
    last_arrival_[link] = last_arrival;
    transmissions_[link] = transmissions;
    return through;
}

Crossing LinkTiming::cross(std::uint32_t link, std::int64_t now, std::uint32_t wire,
                           std::uint32_t header) {
    const LinkId id(std::size_t{link});
    std::int64_t& last_arrival = last_arrival_[link];
    const std::int64_t before = last_arrival;
    const bool constant = !clock_.faulty(id);
    Crossing crossing;
    Time end = Time::ps(now);
    for (Time start = end;; ++crossing.attempts) {
        end = constant ? later(start, transfer_time(Bytes(wire), graph_.link(id).rate))
                       : clock_.end(id, start, Bytes(wire));
        crossing.busy += (end - start).ps();
        const Time arrival = later(end, clock_.latency(id, end));
        last_arrival = std::max(last_arrival, arrival.ps());
        if (end == Time::max() || !errors_.is_corrupted(link, transmissions_[link]++)) {
            break;
        }
        start = Time::ps(credit_back(link, last_arrival));
    }
    crossing.end = end.ps();
    crossing.arrival = last_arrival;
    crossing.header_in = last_arrival;
    if (crossing.attempts > 1) {
        return crossing;
    }
    const Time header_end =
        constant ? later(Time::ps(now), transfer_time(Bytes(header), graph_.link(id).rate))
                 : clock_.end(id, Time::ps(now), Bytes(header));
    const Time latency = clock_.latency(id, header_end);
    if (clock_.steady(id, Time::ps(now), end) && later(end, latency).ps() == crossing.arrival) {
        crossing.header_in = std::max(before, later(header_end, latency).ps());
    }
    return crossing;
}

std::int64_t LinkTiming::up_at(std::uint32_t link, std::int64_t time) const {
    return clock_.up_at(LinkId(std::size_t{link}), Time::ps(time)).ps();
}

std::int64_t LinkTiming::up_between(std::uint32_t link, std::int64_t from, std::int64_t to) const {
    return clock_.up_between(LinkId(std::size_t{link}), Time::ps(from), Time::ps(to)).ps();
}

std::int64_t LinkTiming::credit_back(std::uint32_t link, std::int64_t time) const {
    const Time from = Time::ps(time);
    return later(from, clock_.latency(LinkId(std::size_t{link}), from)).ps();
}

std::int64_t LinkTiming::least_time(std::uint32_t link, std::uint32_t wire) const {
    const std::int64_t rate = clock_.highest_rate(LinkId(std::size_t{link}));
    return rate == 0 ? 0 : transfer_time(Bytes(wire), Rate(rate)).ps();
}

void LinkTiming::refuse(std::uint32_t link, std::int64_t now, std::int64_t bytes,
                        std::int64_t start) const {
    clock_.refuse(LinkId(std::size_t{link}), Time::ps(now), Bytes(bytes), Time::ps(start));
}

}  // namespace npunet::packet

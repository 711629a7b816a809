#include "packet/credit/lone/lone_profile.h"

#include <algorithm>

namespace npunet::packet {

namespace {

__extension__ using Wide = __int128;

/// Profiles that last longer are left to the packets, so that no sum overflows.
constexpr Wide longest = Wide{1} << 60;

std::int64_t time_of(std::int64_t bytes, Rate rate) {
    return transfer_time(Bytes(bytes), rate).ps();
}

/// From the start of a packet of `wire` bytes to when the next link may start with it.
std::int64_t lag(const LoneLink& link, const LoneLink* next, const LonePackets& packets,
                 std::int64_t wire) {
    const std::int64_t whole = time_of(wire, link.rate) + link.latency;
    if (!packets.cut_through || next == nullptr) {
        return whole;
    }
    return std::max(time_of(packets.header_bytes, link.rate) + link.latency,
                    whole - time_of(wire, next->rate));
}

/// Whether no packet of the message waits for credit at the hop, whatever precedes or follows it.
bool has_credit(const LoneProfile& profile, std::size_t hop, const LoneLink& link) {
    std::int64_t delay = 0;
    // The delay of full packets grows from the first to the last or stays.
    for (const std::int64_t packet : {profile.packets - 2, profile.packets - 1}) {
        if (packet >= 0) {
            delay = std::max(delay, profile.credit_back(packet, hop) - profile.start(packet, hop));
        }
    }
    const Wide outstanding =
        Wide{delay - 1} * link.rate.bytes_per_second() / Wide{1'000'000'000'000};
    return outstanding + std::max(profile.full_wire, profile.last_wire) <= link.buffer;
}

}  // namespace

std::int64_t LoneProfile::started(std::int64_t time, std::size_t hop) const {
    const LoneHop& at = hops[hop];
    if (time > at.last_start) {
        return packets;
    }
    if (packets == 1 || time <= at.first) {
        return 0;
    }
    return std::min((time - at.first - 1) / at.period + 1, packets - 1);
}

std::int64_t LoneProfile::returned(std::int64_t time, std::size_t hop) const {
    if (time >= credit_back(packets - 1, hop)) {
        return packets;
    }
    const std::int64_t first = packets == 1 ? time + 1 : credit_back(0, hop);
    if (time < first) {
        return 0;
    }
    const std::int64_t period = hops[hop + 1 < hops.size() ? hop + 1 : hop].period;
    return std::min((time - first) / period + 1, packets - 1);
}

std::int64_t LoneProfile::most_waiting(std::int64_t starts, std::size_t hop) const {
    if (hop == 0 || starts == 0) {
        return 0;
    }
    const bool last = starts == packets;
    if (packets == 1 || hops[hop].period == hops[hop - 1].period) {
        // Each packet starts before the next one has arrived.
        return std::max(packets > 1 ? full_wire : 0, last ? last_wire : 0);
    }
    std::int64_t most = 0;
    std::int64_t arrived = 0;
    std::int64_t next = 0;
    for (std::int64_t packet = 0; packet < starts; ++packet) {
        const std::int64_t now = start(packet, hop);
        for (; next < packets && ready(next, hop) <= now; ++next) {
            arrived += wire_of(next);
        }
        most = std::max(most, arrived);
        arrived -= wire_of(packet);
    }
    return most;
}

LoneProfile lone_profile(const std::vector<LoneLink>& route, const LonePackets& packets,
                         std::int64_t bytes) {
    LoneProfile profile;
    profile.bytes = bytes;
    profile.packets = std::max<std::int64_t>((bytes + packets.mtu - 1) / packets.mtu, 1);
    profile.full_payload = packets.mtu;
    profile.last_payload = bytes - (profile.packets - 1) * packets.mtu;
    profile.full_wire = packets.wire(packets.mtu);
    profile.last_wire = packets.wire(profile.last_payload);
    const std::int64_t full = profile.packets - 1;
    Wide total = 0;
    for (const LoneLink& link : route) {
        const Wide slowest = Wide{time_of(profile.full_wire, link.rate)} + link.latency;
        total += 2 * slowest * (Wide{full} + 2);
    }
    if (total > longest) {
        return profile;
    }
    profile.hops.resize(route.size());
    for (std::size_t k = 0; k < route.size(); ++k) {
        const LoneLink& link = route[k];
        const LoneLink* next = k + 1 < route.size() ? &route[k + 1] : nullptr;
        LoneHop& hop = profile.hops[k];
        hop.full_time = time_of(profile.full_wire, link.rate);
        hop.last_time = time_of(profile.last_wire, link.rate);
        hop.full_lag = lag(link, next, packets, profile.full_wire);
        hop.last_lag = lag(link, next, packets, profile.last_wire);
        hop.latency = link.latency;
        hop.buffer = link.buffer;
        hop.period = hop.full_time;
        if (k > 0) {
            const LoneHop& before = profile.hops[k - 1];
            hop.period = std::max(before.period, hop.full_time);
            hop.first = before.first + (full > 0 ? before.full_lag : before.last_lag);
            hop.last_start = before.last_start + before.last_lag;
        }
        if (full > 0) {
            hop.last_start =
                std::max(hop.last_start, hop.first + (full - 1) * hop.period + hop.full_time);
        }
        hop.busy = full * hop.full_time + hop.last_time;
    }
    profile.possible = true;
    for (std::size_t k = 0; k < route.size(); ++k) {
        profile.hops[k].credit_end = profile.credit_back(profile.packets - 1, k);
        profile.possible = profile.possible && has_credit(profile, k, route[k]);
    }
    for (std::size_t k = 0; profile.possible && k < route.size(); ++k) {
        profile.hops[k].max_queue = profile.most_waiting(profile.packets, k);
    }
    return profile;
}

}  // namespace npunet::packet

#include "topology/network/headroom.h"

#include <algorithm>

namespace npunet::topology {

Bytes largest_packet(const PacketParameters& packet) {
    constexpr Bytes telemetry(std::int64_t{64} * 8);
    const bool grows = needs_of(packet.congestion_control).telemetry;
    return packet.mtu + packet.header + (grows ? telemetry : Bytes());
}

Bytes lossless_headroom(const Link& forth, const Link& back, Bytes largest, std::int64_t classes) {
    __extension__ using Wide = __int128;
    const Time asked = transfer_time(largest + Bytes(classes * pause_bytes), back.rate);
    const Wide span = Wide{asked.ps()} + back.latency.ps() + forth.latency.ps();
    const Wide bytes =
        span * forth.rate.bytes_per_second() / 1'000'000'000'000 + 1 + 2 * Wide{largest.value()};
    return Bytes(static_cast<std::int64_t>(std::min<Wide>(bytes, std::int64_t{1} << 60)));
}

NeededHeadroom needed_headroom(const Graph& graph, const PacketParameters& packet) {
    NeededHeadroom needed;
    const Bytes largest = largest_packet(packet);
    for (const LinkId link : graph.shown_links()) {
        const Link& forth = graph.link(link);
        for (const LinkId id : graph.links_from(forth.to)) {
            const Link& back = graph.link(id);
            if (back.to != forth.from) {
                continue;
            }
            const Bytes bytes = lossless_headroom(forth, back, largest, packet.classes.count);
            if (bytes > needed.bytes) {
                needed = {bytes, link};
            }
        }
    }
    return needed;
}

}  // namespace npunet::topology

#include "topology/dragonfly_next_hops.h"

#include <algorithm>

#include "topology/pair_hash.h"

namespace npunet::topology {

namespace {

/// PacketPlace::memory: bit 0: the packet has decided; above: the global links it will have
/// crossed.
std::uint32_t memory_of(unsigned globals) {
    return globals << 1U | 1U;
}

}  // namespace

Hop DragonflyNextHops::local_hop(std::int64_t router, std::int64_t place,
                                 std::uint8_t globals) const {
    const std::int64_t group = router / shape_.a;
    const std::int64_t first = 2 * shape_.npus() + group * shape_.local_links();
    return Hop{
        LinkId(static_cast<std::size_t>(first + shape_.local_place(router % shape_.a, place))),
        globals};
}

DragonflyNextHops::Leg DragonflyNextHops::leg_to(std::int64_t router, std::int64_t group,
                                                 std::uint8_t globals, std::uint64_t drawn) const {
    const std::int64_t own = router / shape_.a;
    const std::int64_t others = shape_.groups - 1;
    const std::int64_t first_port = (group - own + shape_.groups) % shape_.groups - 1;
    // The router's own global links first; of equivalent ones the drawn one.
    std::int64_t here = 0;
    for (std::int64_t port = first_port; port < shape_.global_links(); port += others) {
        here += port / shape_.h == router % shape_.a ? 1 : 0;
    }
    const std::int64_t equals = here > 0 ? here : shape_.rounds();
    auto wanted = static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(equals));
    std::int64_t port = first_port;
    for (;; port += others) {
        const bool counts = here == 0 || port / shape_.h == router % shape_.a;
        if (counts && wanted-- == 0) {
            break;
        }
    }
    const Hop global{
        LinkId(static_cast<std::size_t>(2 * shape_.npus() + shape_.groups * shape_.local_links() +
                                        own * shape_.global_links() + port)),
        globals};
    Leg leg;
    leg.enters_at = shape_.far_port(port) / shape_.h;
    leg.links = here > 0 ? 1 : 2;
    leg.next_hop.hop = here > 0 ? global : local_hop(router, port / shape_.h, globals);
    leg.next_hop.then = here > 0 ? Hop() : global;
    return leg;
}

void DragonflyNextHops::list_next_hops(const Graph& /*graph*/, const PacketPlace& place,
                                       std::vector<OfferedHop>& next_hops) const {
    next_hops.clear();
    const auto add_last = [&](Hop hop) {
        next_hops.emplace_back();
        next_hops.back().hop = hop;
        next_hops.back().memory = place.memory;
    };
    const std::int64_t at = place.at.value();
    const std::int64_t to = place.destination.value();
    if (at < shape_.npus()) {
        add_last(Hop{LinkId(static_cast<std::size_t>(2 * at)), 0});
        return;
    }
    const std::int64_t router = at - shape_.npus();
    if (to / shape_.p == router) {
        add_last(Hop{LinkId(static_cast<std::size_t>(2 * to + 1)), 0});
        return;
    }
    const std::int64_t own = router / shape_.a;
    const std::int64_t target = to / shape_.p / shape_.a;
    const std::int64_t there = to / shape_.p % shape_.a;
    const auto globals = static_cast<std::uint8_t>(place.memory >> 1U);
    if (own == target) {
        add_last(local_hop(router, there, globals));
        return;
    }
    // Decided, and not in the destination's group: in the intermediate group, after a global link.
    const bool decided = place.memory != 0;
    Leg minimal = leg_to(router, target, globals, mixed(place.hash));
    minimal.next_hop.memory = memory_of(globals + 1U);
    minimal.links += minimal.enters_at == there ? 0 : 1;
    minimal.next_hop.weight = static_cast<std::uint16_t>(minimal.links);
    next_hops.push_back(minimal.next_hop);
    if (decided || shape_.groups < 3) {
        return;
    }
    const std::uint64_t drawn = mixed(place.hash + 1);
    auto between = static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(shape_.groups - 2));
    between += between >= std::min(own, target) ? 1 : 0;
    between += between >= std::max(own, target) ? 1 : 0;
    Leg over = leg_to(router, between, 0, mixed(place.hash + 2));
    const Leg behind = leg_to(between * shape_.a + over.enters_at, target, 1, mixed(place.hash));
    over.next_hop.memory = memory_of(1);
    over.next_hop.weight =
        static_cast<std::uint16_t>(over.links + behind.links + (behind.enters_at == there ? 0 : 1));
    next_hops.push_back(over.next_hop);
}

}  // namespace npunet::topology

#include "topology/builders/dragonfly.h"

#include <algorithm>
#include <cassert>
#include <memory>

#include "base/splitmix64.h"
#include "topology/builders/builder.h"
#include "topology/routing/channel_dependencies.h"

namespace npunet::topology {

DragonflyRouter::DragonflyRouter(const DragonflyShape& shape) : shape_(shape) {
    channels_ = one_channel_suffices() ? 1 : 2;
}

std::int64_t DragonflyRouter::port_towards(std::int64_t from, std::int64_t to) const {
    const std::int64_t group_size = shape_.a * shape_.p;
    const std::int64_t others = shape_.groups - 1;
    const std::int64_t offset =
        (to / group_size - from / group_size + shape_.groups) % shape_.groups;
    const std::int64_t here = from % group_size / shape_.p;
    const std::int64_t there = to % group_size / shape_.p;
    const auto reroutes = [&](std::int64_t port) {
        return (port / shape_.h != here ? 1 : 0) +
               (shape_.far_port(port) / shape_.h != there ? 1 : 0);
    };
    int least = 2;
    std::int64_t equals = 0;
    for (std::int64_t port = offset - 1; port < shape_.global_links(); port += others) {
        const int own = reroutes(port);
        equals = own < least ? 1 : own == least ? equals + 1 : equals;
        least = std::min(least, own);
    }
    std::int64_t wanted = (from % group_size + to % group_size) % equals;
    for (std::int64_t port = offset - 1;; port += others) {
        if (reroutes(port) == least && wanted-- == 0) {
            return port;
        }
    }
}

std::vector<Hop> DragonflyRouter::hops(std::int64_t from, std::int64_t to) const {
    const std::int64_t group_size = shape_.a * shape_.p;
    const std::int64_t locals = 2 * shape_.npus();
    const std::int64_t globals = locals + shape_.groups * shape_.local_links();
    std::vector<Hop> hops;
    hops.reserve(5);
    const auto add = [&](std::int64_t link, std::uint8_t channel) {
        hops.push_back(Hop{LinkId(static_cast<std::size_t>(link)), channel});
    };
    const auto add_local = [&](std::int64_t group, std::int64_t r, std::int64_t s,
                               std::uint8_t channel) {
        if (r != s) {
            add(locals + group * shape_.local_links() + shape_.local_place(r, s), channel);
        }
    };
    const std::int64_t source = from / group_size;
    const std::int64_t target = to / group_size;
    const std::int64_t here = from % group_size / shape_.p;
    const std::int64_t there = to % group_size / shape_.p;
    add(2 * from, 0);
    if (source == target) {
        add_local(source, here, there, 0);
    } else {
        const std::int64_t port = port_towards(from, to);
        add_local(source, here, port / shape_.h, 0);
        add(globals + source * shape_.global_links() + port, 0);
        add_local(target, shape_.far_port(port) / shape_.h, there,
                  static_cast<std::uint8_t>(channels_ - 1));
    }
    add(2 * to + 1, 0);
    return hops;
}

std::vector<Hop> DragonflyRouter::route(const Graph& /*graph*/, NodeId from, NodeId to) const {
    return hops(from.value(), to.value());
}

/// Without local links or without global ones no routes wait in a cycle. With one link between
/// any two groups and more than one router a group, at least two routers of every group have global
/// links (a h < 2 (g - 1), hence h < g - 1), so from each of them a route goes on over a local link
/// to another one and out again, for ever: a cycle. Between those the routes themselves are looked
/// at; they are the same from every group, so links count by their place in the group: a cycle
/// there, gone round g times, is a cycle in the network.
bool DragonflyRouter::one_channel_suffices() const {
    constexpr std::int64_t most_pairs = std::int64_t{1} << 22;  // then 2 without looking
    if (shape_.a == 1 || shape_.groups == 1) {
        return true;
    }
    const std::int64_t group_size = shape_.a * shape_.p;
    if (shape_.rounds() == 1 || group_size * shape_.npus() > most_pairs / shape_.rounds()) {
        return false;
    }
    const std::int64_t locals = 2 * shape_.npus();
    const std::int64_t globals = locals + shape_.groups * shape_.local_links();
    const auto place = [&](LinkId id) {
        const std::int64_t link = id.value();
        return LinkId(static_cast<std::size_t>(
            link < globals ? (link - locals) % shape_.local_links()
                           : shape_.local_links() + (link - globals) % shape_.global_links()));
    };
    ChannelDependencies dependencies(
        static_cast<std::size_t>(shape_.local_links() + shape_.global_links()), 1);
    for (std::int64_t from = 0; from < group_size; ++from) {
        for (std::int64_t to = group_size; to < shape_.npus(); ++to) {
            std::vector<Hop> route = hops(from, to);
            std::vector<Hop> inner;
            for (std::size_t i = 1; i + 1 < route.size(); ++i) {
                inner.push_back(Hop{place(route[i].link), 0});
            }
            dependencies.add_route(inner);
        }
    }
    return dependencies.find_cycle().empty();
}

NetworkDescription make_dragonfly(const DragonflyShape& shape,
                                  const std::vector<LinkSpeed>& speeds) {
    assert(speeds.size() == 3);
    const std::int64_t routers = shape.groups * shape.a;
    NetworkDescription network =
        network_of_npus("Dragonfly", shape.npus(), static_cast<std::size_t>(shape.npus() + routers),
                        static_cast<std::size_t>(shape.links()));
    Graph& graph = network.graph;
    const auto router_at = [&](std::int64_t group, std::int64_t place) {
        return NodeId(static_cast<std::size_t>(shape.npus() + group * shape.a + place));
    };
    const auto link = [&](NodeId from, NodeId to, const LinkSpeed& speed) {
        graph.add_link({from, to, speed.rate, speed.latency});
    };
    for (std::int64_t r = 0; r < routers; ++r) {
        graph.add_node(NodeKind::Switch, "router" + std::to_string(r));
    }
    for (std::int64_t npu = 0; npu < shape.npus(); ++npu) {
        const NodeId own(static_cast<std::size_t>(npu));
        link(own, router_at(0, npu / shape.p), speeds[0]);
        link(router_at(0, npu / shape.p), own, speeds[0]);
    }
    for (std::int64_t group = 0; group < shape.groups; ++group) {
        for (std::int64_t place = 0; place < shape.local_links(); ++place) {
            const std::int64_t r = place / (shape.a - 1);
            const std::int64_t s = place % (shape.a - 1);
            link(router_at(group, r), router_at(group, s < r ? s : s + 1), speeds[1]);
        }
    }
    for (std::int64_t group = 0; group < shape.groups; ++group) {
        for (std::int64_t port = 0; port < shape.global_links(); ++port) {
            const std::int64_t other = (group + port % (shape.groups - 1) + 1) % shape.groups;
            link(router_at(group, port / shape.h), router_at(other, shape.far_port(port) / shape.h),
                 speeds[2]);
        }
    }
    network.router = std::make_shared<DragonflyRouter>(shape);
    network.tiers =
        tiers_of_blocks(shape.npus(), {{"group", shape.a * shape.p}, {"groups", shape.npus()}});
    return network;
}

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
    Leg minimal = leg_to(router, target, globals, splitmix64(place.hash));
    minimal.next_hop.memory = memory_of(globals + 1U);
    minimal.links += minimal.enters_at == there ? 0 : 1;
    minimal.next_hop.weight = static_cast<std::uint16_t>(minimal.links);
    next_hops.push_back(minimal.next_hop);
    if (decided || shape_.groups < 3) {
        return;
    }
    const std::uint64_t drawn = splitmix64(place.hash + 1);
    auto between = static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(shape_.groups - 2));
    between += between >= std::min(own, target) ? 1 : 0;
    between += between >= std::max(own, target) ? 1 : 0;
    Leg over = leg_to(router, between, 0, splitmix64(place.hash + 2));
    const Leg behind =
        leg_to(between * shape_.a + over.enters_at, target, 1, splitmix64(place.hash));
    over.next_hop.memory = memory_of(1);
    over.next_hop.weight =
        static_cast<std::uint16_t>(over.links + behind.links + (behind.enters_at == there ? 0 : 1));
    next_hops.push_back(over.next_hop);
}

}  // namespace npunet::topology

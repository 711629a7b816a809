#include "topology/network/pause_cycle.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

#include "topology/routing/channel_dependencies.h"
#include "topology/routing/graph_router.h"
#include "topology/routing/product_routing.h"

namespace npunet::topology {

namespace {

/// Hops that are looked at: a fraction of a second.
constexpr std::size_t most_hops = std::size_t{1} << 19;
/// From this number of NPUs, each with its share of the hops.
constexpr std::size_t most_sources = 1024;

/// All NPUs in an order in which neighbours, which have similar routes, are far apart.
class SpreadOrder {
public:
    explicit SpreadOrder(std::size_t npus) : npus_(npus), step_(npus * 5 / 8 + 1) {
        while (std::gcd(npus_, step_) != 1) {
            ++step_;
        }
    }

    [[nodiscard]] NodeId after(NodeId npu) const { return NodeId((npu.index() + step_) % npus_); }

private:
    std::size_t npus_;
    std::size_t step_;
};

/// The links of routes in dimension order from each of these NPUs to the next one, and from the
/// last to the first.
std::vector<Hop> round_trip(const NetworkDescription& network,
                            const std::vector<std::size_t>& npus) {
    std::vector<Hop> links;
    for (std::size_t i = 0; i < npus.size(); ++i) {
        const std::vector<Hop> step = dimension_order_route(network.dimensions, NodeId(npus[i]),
                                                            NodeId(npus[(i + 1) % npus.size()]));
        links.insert(links.end(), step.begin(), step.end());
    }
    return links;
}

/// By dimension of a product, whether it has links here: those of others belong to another part
/// (topology/network/scale_up.h).
std::vector<bool> shown_dimensions(const NetworkDescription& network) {
    std::vector<bool> shown(network.dimensions.size(), false);
    for (const LinkId link : network.graph.shown_links()) {
        shown[static_cast<std::size_t>(network.graph.link(link).dimension)] = true;
    }
    return shown;
}

/// The waiting of links for each other: for and of links that are not hidden. NPUs that pass on
/// from one part of a network to the other take in all that comes.
class Waiting {
public:
    explicit Waiting(const Graph& graph) : dependencies_(graph.links(), 1), shown_(graph.links()) {
        for (const LinkId link : graph.shown_links()) {
            shown_[link.index()] = true;
        }
    }

    void add(LinkId first, LinkId then) {
        if (shown_[first.index()] && shown_[then.index()]) {
            dependencies_.add({first, 0}, {then, 0});
        }
    }

    [[nodiscard]] std::vector<Hop> find_cycle() const { return dependencies_.find_cycle(); }

private:
    ChannelDependencies dependencies_;
    std::vector<bool> shown_;
};

/// Of a product of dimensions, the links of a cycle; empty where there is none. Exact:
/// - On a ring of more than three NPUs routes go on after one hop, so each of its links is followed
///   by the next one on some route.
/// - Adaptive routes of two dimensions turn from the first into the second and back: a square.
/// - Else links wait for links of the same line or of a later dimension only, and a line has no
///   cycle: on shorter rings and cliques routes are one hop, along a mesh they do not turn back,
///   and links to a switch wait for those from it.
std::vector<Hop> cycle_of_product(const NetworkDescription& network) {
    const std::vector<bool> shown = shown_dimensions(network);
    std::vector<std::size_t> strides;
    std::size_t stride = 1;
    for (std::size_t d = 0; d < network.dimensions.size(); ++d) {
        const Dimension& dimension = network.dimensions[d];
        const auto size = static_cast<std::size_t>(dimension.size);
        if (!shown[d]) {
            stride *= size;
            continue;
        }
        if (dimension.kind == DimensionKind::Ring && size > 3) {
            std::vector<std::size_t> ring;
            for (std::size_t i = 0; i < size; ++i) {
                ring.push_back(i * stride);
            }
            return round_trip(network, ring);
        }
        if (size > 1) {
            strides.push_back(stride);
        }
        stride *= size;
    }
    if (!network.multipath || strides.size() < 2) {
        return {};
    }
    return round_trip(network, {0, strides[0], strides[0] + strides[1], strides[1]});
}

/// Adds what packets to a destination wait for where they choose among next hops, on one channel.
/// Returns how many hops were looked at; ends soon after that many.
std::size_t add_choices(const NetworkDescription& network, NodeId destination, std::size_t most,
                        Waiting& waiting) {
    // Of routers that draw, some of their choices: any cycle among these is one.
    constexpr std::uint32_t draws = 8;
    std::set<std::pair<std::int32_t, std::uint64_t>> seen;
    std::vector<PacketPlace> open;
    for (std::size_t from = 0; from < network.graph.npus(); ++from) {
        if (NodeId(from) != destination) {
            open.push_back({NodeId(from), NodeId(from), destination, Hop(), 0, 0, 0});
        }
    }
    std::vector<OfferedHop> next_hops;
    std::size_t hops = open.size();
    while (!open.empty() && hops < most) {
        PacketPlace place = open.back();
        open.pop_back();
        for (std::uint32_t draw = 0; draw < draws; ++draw) {
            place.hash = draw;
            place.sequence = draw;
            network.multipath->list_next_hops(network.graph, place, next_hops);
            hops += next_hops.size();
            for (const OfferedHop& offered : next_hops) {
                const LinkId first = offered.hop.link;
                const LinkId last = offered.then.link.valid() ? offered.then.link : first;
                if (place.in.link.valid()) {
                    waiting.add(place.in.link, first);
                }
                if (last != first) {
                    waiting.add(first, last);
                }
                PacketPlace next = place;
                next.in = offered.then.link.valid() ? offered.then : offered.hop;
                next.at = network.graph.link(last).to;
                next.memory = offered.memory;
                const std::uint64_t state =
                    std::uint64_t{next.memory} << 8 | next.in.virtual_channel;
                if (next.at != destination && seen.insert({last.value(), state}).second) {
                    open.push_back(next);
                }
            }
        }
    }
    return hops;
}

/// Adds the routes from an NPU to all others, on one channel. Returns how many hops were looked at;
/// ends soon after that many.
std::size_t add_routes(const NetworkDescription& network, NodeId from, std::size_t most,
                       Waiting& waiting) {
    const std::size_t npus = network.graph.npus();
    const SpreadOrder order(npus);
    NodeId to = order.after(from);
    std::size_t hops = 0;
    for (; to != from && hops < most; to = order.after(to)) {
        const std::vector<Hop> route = network.route(from, to);
        for (std::size_t i = 1; i < route.size(); ++i) {
            waiting.add(route[i - 1].link, route[i].link);
        }
        hops += 1 + route.size();
    }
    return hops;
}

/// Looks for a cycle after 1, 2, 4, ... NPUs, as large networks have one among few, and where the
/// search ends.
PauseCycle search(const NetworkDescription& network) {
    const std::size_t npus = network.graph.npus();
    const std::size_t most_of_npu = most_hops / std::min(npus, most_sources);
    Waiting waiting(network.graph);
    const SpreadOrder order(npus);
    NodeId npu(std::size_t{0});
    bool is_cut = npus > most_sources;
    const std::size_t looked_at = std::min(npus, most_sources);
    std::size_t next_look = 1;
    for (std::size_t i = 1; i <= looked_at; ++i, npu = order.after(npu)) {
        std::size_t hops = add_routes(network, npu, most_of_npu, waiting);
        if (network.multipath && hops < most_of_npu) {
            hops += add_choices(network, npu, most_of_npu - hops, waiting);
        }
        is_cut = is_cut || hops >= most_of_npu;
        if (i < next_look && i < looked_at) {
            continue;
        }
        next_look *= 2;
        if (std::vector<Hop> cycle = waiting.find_cycle(); !cycle.empty()) {
            return {true, std::move(cycle)};
        }
    }
    return {is_cut, {}};
}

}  // namespace

PauseCycle find_pause_cycle(const NetworkDescription& network) {
    const int backup = network.faults.take_links_down() ? 1 : 0;
    if (network.virtual_channels_needed() - backup <= 1) {
        return {};
    }
    if (const auto* router = dynamic_cast<const GraphRouter*>(network.router.get())) {
        GraphRouter::CycleSearch search = router->look_for_cycle(network.graph);
        return {!search.is_free(), std::move(search.cycle)};
    }
    if (!network.router) {
        std::vector<Hop> cycle = cycle_of_product(network);
        return {!cycle.empty(), std::move(cycle)};
    }
    return search(network);
}

}  // namespace npunet::topology

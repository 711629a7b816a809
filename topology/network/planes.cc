#include "topology/network/planes.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/splitmix64.h"
#include "topology/routing/pair_hash.h"

namespace npunet::topology {

namespace {

/// Pairs that are looked at to find out whether a network has planes.
constexpr std::size_t most_pairs = 4096;

bool has_fault(const Faults& faults, LinkId link) {
    return std::any_of(faults.links.begin(), faults.links.end(),
                       [link](const LinkFault& fault) { return fault.link == link; });
}

bool alike(const Link& a, const Link& b) {
    return a.rate == b.rate && a.latency == b.latency;
}

bool alike(const Graph& graph, const std::vector<Hop>& a, const std::vector<Hop>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Hop& x, const Hop& y) {
        return alike(graph.link(x.link), graph.link(y.link));
    });
}

/// Those of the routes that are alike and have the most bandwidth together.
PlaneRoutes best_set(const Graph& graph, const PlaneRoutes& routes) {
    __extension__ using Wide = unsigned __int128;
    PlaneRoutes best;
    Wide most = 0;
    for (const std::vector<Hop>& first : routes) {
        PlaneRoutes set;
        std::copy_if(routes.begin(), routes.end(), std::back_inserter(set),
                     [&](const std::vector<Hop>& route) { return alike(graph, first, route); });
        Rate slowest = graph.link(first.front().link).rate;
        for (const Hop& hop : first) {
            slowest = std::min(slowest, graph.link(hop.link).rate);
        }
        const Wide sum = static_cast<Wide>(slowest.bytes_per_second()) * set.size();
        if (sum > most) {
            most = sum;
            best = std::move(set);
        }
    }
    return best;
}

}  // namespace

void Planes::list_steps(const Graph& graph, const Faults& faults, NodeId at, NodeId to,
                        bool bundles, const std::vector<Hop>& route,
                        std::vector<LinkId>& steps) const {
    steps.clear();
    if (bundles) {
        const auto hop = std::find_if(route.begin(), route.end(), [&](const Hop& each) {
            return graph.link(each.link).from == at;
        });
        const NodeId next = graph.link(hop->link).to;
        for (const LinkId id : graph.links_from(at)) {
            if (graph.link(id).to == next) {
                steps.push_back(id);
            }
        }
    } else {
        router_->list_shortest_steps(graph, at, to, steps);
    }
    const auto unusable = [&](LinkId id) {
        const NodeId next = graph.link(id).to;
        return has_fault(faults, id) ||
               (!bundles && next != to && graph.kind(next) == NodeKind::Npu);
    };
    steps.erase(std::remove_if(steps.begin(), steps.end(), unusable), steps.end());
}

PlaneRoutes Planes::disjoint_routes(const Graph& graph, const Faults& faults, NodeId from,
                                    NodeId to, bool bundles) const {
    const std::vector<Hop> route = router_->route(graph, from, to);
    std::vector<LinkId> steps;
    list_steps(graph, faults, from, to, bundles, route, steps);
    PlaneRoutes planes;
    for (const LinkId link : steps) {
        planes.push_back({Hop{link, 0}});
    }
    std::uint64_t hash = pair_hash(router_->seed(), from, to);
    for (std::size_t hops = 1; hops < route.size() && planes.size() > 1; ++hops) {
        hash = splitmix64(hash);
        PlaneRoutes left;
        for (std::size_t i = 0; i < planes.size(); ++i) {
            const auto node_behind = [&](const std::vector<Hop>& plane) {
                return graph.link(plane[hops - 1].link).to;
            };
            const NodeId at = node_behind(planes[i]);
            // No two planes that have come to a node go on by one link.
            const auto before = static_cast<std::size_t>(std::count_if(
                planes.begin(), planes.begin() + static_cast<std::ptrdiff_t>(i),
                [&](const std::vector<Hop>& plane) { return node_behind(plane) == at; }));
            list_steps(graph, faults, at, to, bundles, route, steps);
            if (before < steps.size()) {
                left.push_back(planes[i]);
                const std::size_t first = router_->preferred(steps, at, to, hash);
                left.back().push_back(Hop{steps[(first + before) % steps.size()], 0});
            }
        }
        planes = std::move(left);
    }
    if (planes.size() < 2) {
        return {};
    }
    for (std::vector<Hop>& plane : planes) {
        router_->set_channels(graph, to, plane);
    }
    return best_set(graph, planes);
}

PlaneRoutes Planes::routes(const Graph& graph, const Faults& faults, NodeId from, NodeId to) const {
    assert(from != to);
    if (may_have(graph, graph.links_from(from)) && may_have(graph, graph.links_to(to))) {
        PlaneRoutes planes;
        if (all_switches_) {
            planes = disjoint_routes(graph, faults, from, to, false);
        }
        if (planes.size() < 2) {
            planes = disjoint_routes(graph, faults, from, to, true);
        }
        if (planes.size() > 1) {
            return planes;
        }
    }
    return {router_->route(graph, from, to)};
}

/// Of the ports of an NPU: two are alike that are parallel, or both lead to switches.
bool Planes::may_have(const Graph& graph, const std::vector<LinkId>& ports) const {
    // Ends, rate and latency; ends are left out where any switch will do.
    using Likeness = std::tuple<std::int32_t, std::int32_t, std::int64_t, std::int64_t>;
    std::vector<Likeness> seen;
    for (const LinkId id : ports) {
        const Link& link = graph.link(id);
        const bool meets_switch =
            graph.kind(link.from) != NodeKind::Npu || graph.kind(link.to) != NodeKind::Npu;
        const bool any_end = all_switches_ && meets_switch;
        seen.emplace_back(any_end ? -1 : link.from.value(), any_end ? -1 : link.to.value(),
                          link.rate.bytes_per_second(), link.latency.ps());
    }
    std::sort(seen.begin(), seen.end());
    return std::adjacent_find(seen.begin(), seen.end()) != seen.end();
}

bool Planes::any(const Graph& graph) const {
    std::vector<NodeId> sources;
    std::vector<NodeId> destinations;
    for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
        if (may_have(graph, graph.links_from(NodeId(npu)))) {
            sources.emplace_back(npu);
        }
        if (may_have(graph, graph.links_to(NodeId(npu)))) {
            destinations.emplace_back(npu);
        }
    }
    std::size_t pairs = 0;
    for (const NodeId from : sources) {
        for (const NodeId to : destinations) {
            if (from == to) {
                continue;
            }
            if (++pairs > most_pairs || routes(graph, {}, from, to).size() > 1) {
                return true;
            }
        }
    }
    return false;
}

const PlaneRoutes& PlaneNextHops::routes(const Graph& graph, NodeId from, NodeId to) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    known_.resize(graph.npus());
    auto& row = known_[from.index()];
    row.resize(graph.npus());
    auto& known = row[to.index()];
    if (!known) {
        known = std::make_unique<const PlaneRoutes>(planes_->routes(graph, faults_, from, to));
    }
    return *known;
}

void PlaneNextHops::list_next_hops(const Graph& graph, const PacketPlace& place,
                                   std::vector<OfferedHop>& next_hops) const {
    const PlaneRoutes& planes = routes(graph, place.source, place.destination);
    next_hops.assign(1, OfferedHop());
    OfferedHop& next = next_hops.front();
    std::size_t plane = 0;
    if (place.at == place.source) {
        const std::uint64_t first =
            pair_hash(planes_->router().seed(), place.source, place.source) % planes.size();
        plane = static_cast<std::size_t>((first + place.sequence) % planes.size());
    } else {
        plane = place.memory - 1;
    }
    next.memory = static_cast<std::uint32_t>(plane + 1);
    const std::vector<Hop>& route = planes[plane];
    next.hop = *std::find_if(route.begin(), route.end(),
                             [&](const Hop& hop) { return graph.link(hop.link).from == place.at; });
}

std::string PlaneNextHops::name() const {
    return planes_->router().name() + " over planes";
}

}  // namespace npunet::topology

#include "topology/routing/group_routes.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "topology/graph/router_groups.h"

namespace npunet::topology {

GroupRoutes::GroupRoutes(const Graph& graph, const Neighbours& neighbours)
    : npus_(npus_of_router_group(graph, neighbours)) {
    if (npus_ == 0) {
        return;
    }
    groups_.resize(graph.nodes());
    for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
        groups_[npu] = static_cast<std::int32_t>(static_cast<std::int64_t>(npu) / npus_);
        groups_[graph.link(graph.links_from(NodeId(npu)).front()).to.index()] = groups_[npu];
    }
}

bool GroupRoutes::leaves_group(const Link& link) const {
    return groups_[link.from.index()] != groups_[link.to.index()];
}

bool GroupRoutes::may_take(const Link& link, NodeId destination) const {
    return groups_.empty() || !leaves_group(link) ||
           groups_[link.to.index()] == groups_[destination.index()];
}

std::vector<Hop> GroupRoutes::route(const Graph& graph, NodeId from, NodeId to,
                                    const ListSteps& list_steps) const {
    struct Path {
        std::vector<Hop> hops;
        LinkId between;
    };
    std::vector<Path> open(1);
    std::vector<Path> routes;
    std::vector<LinkId> steps;
    while (!open.empty()) {
        const Path path = std::move(open.back());
        open.pop_back();
        const NodeId at = path.hops.empty() ? from : graph.link(path.hops.back().link).to;
        if (at == to) {
            routes.push_back(path);
            continue;
        }
        list_steps(at, steps);
        for (const LinkId step : steps) {
            Path longer = path;
            longer.hops.push_back(Hop{step, 0});
            if (leaves_group(graph.link(step))) {
                longer.between = step;
            }
            open.push_back(std::move(longer));
        }
    }
    assert(!routes.empty() && "the network is connected");
    const auto places = static_cast<std::size_t>(from.value() % npus_ + to.value() % npus_);
    const auto chosen = routes.begin() + static_cast<std::ptrdiff_t>(places % routes.size());
    std::nth_element(routes.begin(), chosen, routes.end(), [](const Path& a, const Path& b) {
        return a.between < b.between ||
               (a.between == b.between &&
                std::lexicographical_compare(
                    a.hops.begin(), a.hops.end(), b.hops.begin(), b.hops.end(),
                    [](const Hop& x, const Hop& y) { return x.link < y.link; }));
    });
    return chosen->hops;
}

void GroupRoutes::set_channels(const Graph& graph, std::vector<Hop>& route) const {
    for (std::size_t i = 1; i + 1 < route.size(); ++i) {
        route[i].virtual_channel = leaves_group(graph.link(route[i - 1].link)) ? 1 : 0;
    }
}

}  // namespace npunet::topology

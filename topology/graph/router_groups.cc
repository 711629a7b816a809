#include "topology/graph/router_groups.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace npunet::topology {

namespace {

bool comes_only_from(const Graph& graph, NodeId npu, std::int32_t router) {
    const std::vector<LinkId>& links = graph.links_to(npu);
    return std::all_of(links.begin(), links.end(),
                       [&](LinkId id) { return graph.link(id).from.value() == router; });
}

/// Routers numbered by their NPUs, and the links among them.
class RouterGraph {
public:
    RouterGraph(const Graph& graph, const Neighbours& neighbours) {
        const std::size_t npus = graph.npus();
        std::vector<std::int32_t> router_of(graph.nodes(), -1);
        for (std::size_t npu = 0; npu < npus; ++npu) {
            const auto& list = neighbours[npu];
            if (list.size() != 1 || list.front().node < static_cast<std::int32_t>(npus) ||
                !comes_only_from(graph, NodeId(npu), list.front().node)) {
                return;
            }
            std::int32_t& router = router_of[static_cast<std::size_t>(list.front().node)];
            if (router < 0) {
                router = static_cast<std::int32_t>(nodes_.size());
                nodes_.push_back(list.front().node);
            }
            router_of[npu] = router;
        }
        if (npus % nodes_.size() != 0 || graph.nodes() != npus + nodes_.size()) {
            return;
        }
        npus_of_router_ = npus / nodes_.size();
        for (std::size_t npu = 0; npu < npus; ++npu) {
            if (static_cast<std::size_t>(router_of[npu]) != npu / npus_of_router_) {
                npus_of_router_ = 0;
                return;
            }
        }
        for (const std::int32_t node : nodes_) {
            links_.emplace_back();
            for (const Neighbour& next : neighbours[static_cast<std::size_t>(node)]) {
                if (next.node >= static_cast<std::int32_t>(npus)) {
                    links_.back().push_back(
                        {router_of[static_cast<std::size_t>(next.node)], next.rate, next.latency});
                }
            }
        }
    }

    [[nodiscard]] std::size_t routers() const { return nodes_.size(); }
    /// 0: these are no routers with equally many consecutive NPUs.
    [[nodiscard]] std::size_t npus_of_router() const { return npus_of_router_; }

    [[nodiscard]] bool is_clique_of_one_speed() const {
        for (const auto& list : links_) {
            if (list.size() + 1 != routers()) {
                return false;
            }
            for (const Neighbour& next : list) {
                if (!next.same_speed(links_.front().front())) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Whether groups of `size` consecutive routers are those of a dragonfly.
    [[nodiscard]] bool has_groups_of(std::size_t size) const {
        const std::size_t groups = routers() / size;
        std::vector<std::size_t> between(groups * groups, 0);
        const Neighbour* local = nullptr;
        const Neighbour* global = nullptr;
        for (std::size_t router = 0; router < routers(); ++router) {
            for (const Neighbour& next : links_[router]) {
                const std::size_t other = static_cast<std::size_t>(next.node) / size;
                ++between[router / size * groups + other];
                const Neighbour*& first = other == router / size ? local : global;
                first = first == nullptr ? &next : first;
                if (!next.same_speed(*first)) {
                    return false;
                }
            }
        }
        for (std::size_t pair = 0; pair < between.size(); ++pair) {
            const bool inside = pair / groups == pair % groups;
            if (between[pair] != (inside ? size * (size - 1) : between[1]) || between[pair] == 0) {
                return false;
            }
        }
        return true;
    }

private:
    std::size_t npus_of_router_ = 0;
    std::vector<std::int32_t> nodes_;
    Neighbours links_;
};

}  // namespace

std::int64_t npus_of_router_group(const Graph& graph, const Neighbours& neighbours) {
    const RouterGraph routers(graph, neighbours);
    if (routers.npus_of_router() == 0 || routers.routers() < 4 ||
        routers.is_clique_of_one_speed()) {
        return 0;
    }
    for (std::size_t size = 2; 2 * size <= routers.routers(); ++size) {
        if (routers.routers() % size == 0 && routers.has_groups_of(size)) {
            return static_cast<std::int64_t>(size * routers.npus_of_router());
        }
    }
    return 0;
}

}  // namespace npunet::topology

#include "topology/routing/balanced_steps.h"

#include <algorithm>

namespace npunet::topology {

bool use_in_turn(const Graph& graph, LinkId first, LinkId other) {
    const Link& a = graph.link(first);
    const Link& b = graph.link(other);
    return graph.kind(a.to) == NodeKind::Switch && graph.kind(b.to) == NodeKind::Switch &&
           a.rate == b.rate && a.latency == b.latency;
}

void BalancedSteps::open(const Graph& graph) {
    turns_.assign(graph.npus(), {});
    uses_.assign(graph.links(), 0);
}

LinkId BalancedSteps::take(NodeId to, NodeId at, const std::vector<LinkId>& links) {
    const LinkId least = *std::min_element(links.begin(), links.end(), [&](LinkId a, LinkId b) {
        return uses_[a.index()] < uses_[b.index()];
    });
    ++uses_[least.index()];
    turns_[to.index()].push_back({at.value(), least});
    return least;
}

void BalancedSteps::close(NodeId to) {
    std::vector<Turn>& turns = turns_[to.index()];
    std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.at < b.at; });
    turns.shrink_to_fit();
}

LinkId BalancedSteps::find(NodeId to, NodeId at) const {
    const std::vector<Turn>& turns = turns_[to.index()];
    const auto found =
        std::lower_bound(turns.begin(), turns.end(), at.value(),
                         [](const Turn& turn, std::int32_t node) { return turn.at < node; });
    return found == turns.end() || found->at != at.value() ? LinkId() : found->link;
}

}  // namespace npunet::topology

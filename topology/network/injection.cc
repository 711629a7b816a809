#include "topology/network/injection.h"

#include <cassert>
#include <memory>
#include <utility>

namespace npunet::topology {

namespace {

/// A network and the numbers of what is added to it.
class Split {
public:
    explicit Split(NetworkDescription whole) : network(std::move(whole)) {}

    [[nodiscard]] NodeId router_of(NodeId npu) const {
        return NodeId(network.graph.nodes() + npu.index());
    }
    [[nodiscard]] Hop injection(NodeId npu) const { return hop(2 * npu.index()); }
    [[nodiscard]] Hop ejection(NodeId npu) const { return hop(2 * npu.index() + 1); }
    /// The node of the former network that a node of the new one, not an NPU, stands for.
    [[nodiscard]] NodeId former(NodeId node) const {
        const std::size_t nodes = network.graph.nodes();
        return node.index() < nodes ? node : NodeId(node.index() - nodes);
    }
    [[nodiscard]] bool is_new(Hop hop) const {
        return hop.link.valid() && hop.link.index() >= network.graph.links();
    }

    const NetworkDescription network;  ///< without faults

private:
    [[nodiscard]] Hop hop(std::size_t number) const {
        return {LinkId(network.graph.links() + number), 0};
    }
};

class InjectionRouter final : public Router {
public:
    explicit InjectionRouter(std::shared_ptr<const Split> split) : split_(std::move(split)) {}

    [[nodiscard]] std::vector<Hop> route(const Graph& /* graph */, NodeId from,
                                         NodeId to) const override {
        std::vector<Hop> hops{split_->injection(from)};
        const std::vector<Hop> former = split_->network.route(from, to);
        hops.insert(hops.end(), former.begin(), former.end());
        hops.push_back(split_->ejection(to));
        return hops;
    }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return split_->network.virtual_channels_needed();
    }
    [[nodiscard]] std::string name() const override { return split_->network.routing_name(); }

private:
    std::shared_ptr<const Split> split_;
};

class InjectionNextHops final : public MultipathRouter {
public:
    explicit InjectionNextHops(std::shared_ptr<const Split> split) : split_(std::move(split)) {}

    void list_next_hops(const Graph& /* graph */, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override {
        const Split& split = *split_;
        if (place.at == place.source) {
            next_hops.assign(1, OfferedHop());
            next_hops.front().hop = split.injection(place.source);
            return;
        }
        if (place.at == split.router_of(place.destination)) {
            next_hops.assign(1, OfferedHop());
            next_hops.front().hop = split.ejection(place.destination);
            return;
        }
        PacketPlace former = place;
        former.at = split.former(place.at);
        if (split.is_new(place.in)) {
            former.in = Hop();
        }
        split.network.multipath->list_next_hops(split.network.graph, former, next_hops);
    }
    [[nodiscard]] bool is_oblivious() const override {
        return split_->network.multipath->is_oblivious();
    }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return split_->network.multipath->virtual_channels_needed();
    }
    [[nodiscard]] std::string name() const override { return split_->network.multipath->name(); }

private:
    std::shared_ptr<const Split> split_;
};

Graph split_graph(const Split& split, Rate rate) {
    const Graph& former = split.network.graph;
    Graph graph;
    graph.reserve(former.nodes() + former.npus(), former.links() + 2 * former.npus());
    for (std::size_t i = 0; i < former.nodes(); ++i) {
        graph.add_node(former.kind(NodeId(i)), former.name(NodeId(i)));
    }
    for (std::size_t i = 0; i < former.npus(); ++i) {
        graph.add_node(NodeKind::Switch, "router-of-" + former.name(NodeId(i)));
    }
    const auto end_of = [&](NodeId node) {
        return node.index() < former.npus() ? split.router_of(node) : node;
    };
    for (std::size_t i = 0; i < former.links(); ++i) {
        Link link = former.link(LinkId(i));
        link.from = end_of(link.from);
        link.to = end_of(link.to);
        graph.add_link(link);
    }
    for (std::size_t i = 0; i < former.npus(); ++i) {
        const NodeId npu(i);
        graph.add_link({npu, split.router_of(npu), rate, Time()});
        graph.add_link({split.router_of(npu), npu, rate, Time()});
    }
    return graph;
}

}  // namespace

NetworkDescription with_injection(const NetworkDescription& network, Rate rate) {
    assert(Rate(0) < rate);
    // What routes need for reroutes is added for the new network.
    NetworkDescription whole = network;
    whole.faults.links.clear();
    const auto split = std::make_shared<const Split>(std::move(whole));
    NetworkDescription result = network;
    result.graph = split_graph(*split, rate);
    result.packet.injection = Rate();
    result.router = std::make_shared<InjectionRouter>(split);
    result.planes = nullptr;  // what an NPU sends shares its port
    if (network.multipath) {
        result.multipath = std::make_shared<InjectionNextHops>(split);
    }
    return result;
}

}  // namespace npunet::topology

#include "topology/builders/fat_tree.h"

#include <cassert>
#include <memory>

#include "topology/builders/builder.h"
#include "topology/routing/pair_hash.h"

namespace npunet::topology {

namespace {

/// Link 2 i of a kind leads up, 2 i + 1 down.
void add_cable(Graph& graph, NodeId lower, NodeId upper, LinkSpeed speed) {
    graph.add_link({lower, upper, speed.rate, speed.latency});
    graph.add_link({upper, lower, speed.rate, speed.latency});
}

NodeId add_level(Graph& graph, std::int64_t count, const std::string& name) {
    const NodeId first(graph.nodes());
    for (std::int64_t i = 0; i < count; ++i) {
        graph.add_node(NodeKind::Switch, name + std::to_string(i));
    }
    return first;
}

NodeId plus(NodeId first, std::int64_t offset) {
    return NodeId(static_cast<std::int32_t>(first.value() + offset));
}

}  // namespace

std::int64_t FatTreeShape::most_npus() const {
    return levels == 3 ? radix * down[1] * down[0] : radix * down[0];
}

void add_fat_tree(Graph& graph, const FatTreeShape& shape, const std::vector<LinkSpeed>& speeds,
                  const std::function<NodeId(std::int64_t)>& host, const std::string& prefix) {
    assert(speeds.size() == static_cast<std::size_t>(shape.levels));
    const bool three = shape.levels == 3;
    const NodeId leaf = add_level(graph, shape.leaves(), prefix + "leaf");
    const NodeId aggregation = add_level(graph, shape.aggregations(), prefix + "aggregation");
    const NodeId top = add_level(graph, shape.tops(), prefix + (three ? "core" : "spine"));
    for (std::int64_t i = 0; i < shape.npus; ++i) {
        add_cable(graph, host(i), plus(leaf, i / shape.down[0]), speeds[0]);
    }
    for (std::int64_t l = 0; l < shape.leaves(); ++l) {
        for (std::int64_t port = 0; port < shape.up[0]; ++port) {
            const NodeId upper =
                three ? plus(aggregation, l / shape.down[1] * shape.up[0] + port) : plus(top, port);
            add_cable(graph, plus(leaf, l), upper, speeds[1]);
        }
    }
    for (std::int64_t a = 0; a < shape.aggregations(); ++a) {
        for (std::int64_t port = 0; port < shape.up[1]; ++port) {
            add_cable(graph, plus(aggregation, a), plus(top, a % shape.up[0] * shape.up[1] + port),
                      speeds[2]);
        }
    }
}

void append_fat_tree_route(const FatTreeShape& shape, std::int64_t from, std::int64_t to,
                           UpLinks up_links, std::uint64_t hash, std::int64_t first_link,
                           std::vector<Hop>& hops) {
    const auto add = [&](std::int64_t link) {
        hops.push_back(Hop{LinkId(static_cast<std::size_t>(first_link + link)), 0});
    };
    const bool hashed = up_links == UpLinks::ByHash;
    const std::int64_t here = from / shape.down[0];
    const std::int64_t there = to / shape.down[0];
    const std::int64_t leaf_links = 2 * shape.npus;
    add(2 * from);
    if (here != there) {
        const std::int64_t port =
            (hashed ? static_cast<std::int64_t>(hash & 0xFFFFFFFFU) : to) % shape.up[0];
        add(leaf_links + 2 * (here * shape.up[0] + port));
        if (shape.levels == 3 && here / shape.down[1] != there / shape.down[1]) {
            const std::int64_t top_links = leaf_links + 2 * shape.leaves() * shape.up[0];
            const std::int64_t second =
                (hashed ? static_cast<std::int64_t>(hash >> 32U) : to / shape.up[0]) % shape.up[1];
            const auto top_link = [&](std::int64_t leaf) {
                return top_links +
                       2 * ((leaf / shape.down[1] * shape.up[0] + port) * shape.up[1] + second);
            };
            add(top_link(here));
            add(top_link(there) + 1);
        }
        add(leaf_links + 2 * (there * shape.up[0] + port) + 1);
    }
    add(2 * to + 1);
}

std::vector<Hop> FatTreeRouter::route(const Graph& /*graph*/, NodeId from, NodeId to) const {
    std::vector<Hop> hops;
    hops.reserve(2 * static_cast<std::size_t>(shape_.levels));
    const std::uint64_t hash =
        up_links_ == UpLinks::ByHash ? pair_hash(seed_, from, to) : std::uint64_t{0};
    append_fat_tree_route(shape_, from.value(), to.value(), up_links_, hash, 0, hops);
    return hops;
}

NetworkDescription make_fat_tree(const FatTreeShape& shape, const std::vector<LinkSpeed>& speeds) {
    NetworkDescription network = network_of_npus(
        "FatTree", shape.npus, static_cast<std::size_t>(shape.npus + shape.switches()),
        static_cast<std::size_t>(shape.links()));
    add_fat_tree(
        network.graph, shape, speeds,
        [](std::int64_t i) { return NodeId(static_cast<std::int32_t>(i)); }, "");
    network.router = std::make_shared<FatTreeRouter>(shape, UpLinks::ByDestination, 1);
    std::vector<std::pair<std::string, std::int64_t>> blocks{{"leaf", shape.down[0]}};
    if (shape.levels == 3) {
        blocks.emplace_back("pod", shape.down[0] * shape.down[1]);
    }
    blocks.emplace_back("tree", shape.npus);
    network.tiers = tiers_of_blocks(shape.npus, blocks);
    return network;
}

FatTreeSwitches::FatTreeSwitches(const FatTreeShape& shape)
    : down_(shape.down),
      up_(shape.up),
      leaves_(shape.leaves()),
      aggregations_(shape.aggregations()),
      leaf_links_(2 * shape.npus),
      top_links_(leaf_links_ + 2 * leaves_ * up_[0]) {}

void FatTreeSwitches::list_next_hops(std::int64_t tree_switch, std::int64_t to,
                                     std::int64_t first_link,
                                     std::vector<OfferedHop>& next_hops) const {
    next_hops.clear();
    const auto add = [&](std::int64_t link) {
        OfferedHop next_hop;
        next_hop.hop.link = LinkId(static_cast<std::size_t>(first_link + link));
        next_hops.push_back(next_hop);
    };
    const std::int64_t there = to / down_[0];
    if (tree_switch < leaves_) {
        if (tree_switch == there) {
            add(2 * to + 1);
            return;
        }
        for (std::int64_t port = 0; port < up_[0]; ++port) {
            add(leaf_links_ + 2 * (tree_switch * up_[0] + port));
        }
        return;
    }
    const std::int64_t upper = tree_switch - leaves_;
    if (upper < aggregations_) {
        const std::int64_t pod = upper / up_[0];
        if (pod == there / down_[1]) {
            add(leaf_links_ + 2 * (there * up_[0] + upper % up_[0]) + 1);
            return;
        }
        for (std::int64_t port = 0; port < up_[1]; ++port) {
            add(top_links_ + 2 * (upper * up_[1] + port));
        }
        return;
    }
    const std::int64_t top = upper - aggregations_;
    if (aggregations_ > 0) {
        // Core c connects to port c mod up[1] of aggregation switch c / up[1] of every pod.
        const std::int64_t below = there / down_[1] * up_[0] + top / up_[1];
        add(top_links_ + 2 * (below * up_[1] + top % up_[1]) + 1);
    } else {
        add(leaf_links_ + 2 * (there * up_[0] + top) + 1);
    }
}

void FatTreeNextHops::list_next_hops(const Graph& /*graph*/, const PacketPlace& place,
                                     std::vector<OfferedHop>& next_hops) const {
    const std::int64_t at = place.at.value();
    if (at < npus_) {
        next_hops.assign(1, OfferedHop());
        next_hops.front().hop.link = LinkId(static_cast<std::size_t>(2 * at));
        return;
    }
    switches_.list_next_hops(at - npus_, place.destination.value(), 0, next_hops);
    spread_over(place, next_hops);
}

}  // namespace npunet::topology

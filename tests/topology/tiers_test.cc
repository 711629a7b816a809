// Tiers of Custom networks as they are found in the graph: the same links spelled as a built-in
// network and as Custom give the same tiers.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "networks.h"
#include "own_networks.h"
#include "tests/packet/random_networks.h"
#include "tests/support/custom_text.h"
#include "tests/support/draw.h"
#include "topology/builders/builder.h"
#include "topology/builders/dragonfly.h"
#include "topology/builders/fat_tree.h"
#include "topology/builders/rail.h"
#include "topology/graph/dimensions_of.h"
#include "topology/graph/neighbours.h"
#include "topology/network/find_tiers.h"

namespace npunet::topology::tiers_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Blocks = std::vector<std::int32_t>;

constexpr LinkSpeed fast{Rate(450'000'000'000), Time::ns(100)};
constexpr LinkSpeed nvlink{Rate(64'000'000'000), Time::ns(100)};
constexpr LinkSpeed slow{Rate(50'000'000'000), Time::ns(500)};

/// The same graph with its nodes renumbered: node i is node `old_of[i]` of the other one.
struct Renumbered {
    Graph graph;
    std::vector<std::int32_t> old_of;
};

template <class Order>
Renumbered renumbered(const Graph& graph, const Order& order) {
    Renumbered result;
    const auto npus = static_cast<std::ptrdiff_t>(graph.npus());
    result.old_of.resize(graph.nodes());
    std::iota(result.old_of.begin(), result.old_of.end(), 0);
    std::vector<std::int32_t> switches(result.old_of.begin() + npus, result.old_of.end());
    result.old_of.resize(graph.npus());
    order(result.old_of);
    order(switches);
    result.old_of.insert(result.old_of.end(), switches.begin(), switches.end());
    std::vector<std::size_t> new_of(graph.nodes());
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        const NodeId old(result.old_of[node]);
        new_of[old.index()] = node;
        result.graph.add_node(graph.kind(old), graph.name(old));
    }
    std::vector<std::int32_t> links(graph.links());
    std::iota(links.begin(), links.end(), 0);
    order(links);
    for (const std::int32_t id : links) {
        Link link = graph.link(LinkId(id));
        link.from = NodeId(new_of[link.from.index()]);
        link.to = NodeId(new_of[link.to.index()]);
        result.graph.add_link(link);
    }
    return result;
}

Renumbered shuffled(const Graph& graph, std::uint64_t seed) {
    test::Draw draw(seed);
    return renumbered(graph, [&](std::vector<std::int32_t>& items) { draw.shuffle(items); });
}

Blocks numbered_by_lowest(const Blocks& blocks) {
    std::map<std::int32_t, std::int32_t> numbers;
    Blocks result;
    for (const std::int32_t block : blocks) {
        result.push_back(
            numbers.try_emplace(block, static_cast<std::int32_t>(numbers.size())).first->second);
    }
    return result;
}

/// The partitions that tiers make of the NPUs by their old numbers. Those of single NPUs, and those
/// that are the same as the one before, cannot be seen in a graph and are left out.
std::vector<Blocks> partitions(const std::vector<Tier>& tiers,
                               const std::vector<std::int32_t>& old_of = {}) {
    std::vector<Blocks> result;
    for (const Tier& tier : tiers) {
        Blocks blocks = tier.block_of_npu;
        for (std::size_t npu = 0; npu < blocks.size() && !old_of.empty(); ++npu) {
            blocks[static_cast<std::size_t>(old_of[npu])] = tier.block_of_npu[npu];
        }
        blocks = numbered_by_lowest(blocks);
        const std::set<std::int32_t> different(blocks.begin(), blocks.end());
        if ((different.size() < blocks.size() || blocks.size() == 1) &&
            (result.empty() || result.back() != blocks)) {
            result.push_back(std::move(blocks));
        }
    }
    return result;
}

/// Nested, numbered by the lowest NPU, the last one of all NPUs.
void expect_valid_tiers(const std::vector<Tier>& tiers, std::size_t npus) {
    for (std::size_t t = 0; t < tiers.size(); ++t) {
        const Blocks& blocks = tiers[t].block_of_npu;
        ASSERT_EQ(blocks.size(), npus);
        ASSERT_EQ(blocks, numbered_by_lowest(blocks));
        std::map<std::int32_t, std::int32_t> outer;
        for (std::size_t npu = 0; npu < npus && t > 0; ++npu) {
            const std::int32_t inner = tiers[t - 1].block_of_npu[npu];
            ASSERT_EQ(outer.try_emplace(inner, blocks[npu]).first->second, blocks[npu]);
        }
    }
    if (!tiers.empty()) {
        EXPECT_EQ(tiers.back().block_of_npu, Blocks(npus, 0));
    }
}

/// As it stands, and numbered in three random orders.
void expect_found(const NetworkDescription& network, const std::string& what) {
    SCOPED_TRACE(what);
    const std::vector<Blocks> expected = partitions(network.tiers);
    const std::vector<Tier> same = find_tiers(network.graph);
    expect_valid_tiers(same, network.graph.npus());
    EXPECT_EQ(partitions(same), expected);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Renumbered other = shuffled(network.graph, seed);
        const std::vector<Tier> found = find_tiers(other.graph);
        expect_valid_tiers(found, network.graph.npus());
        EXPECT_EQ(partitions(found, other.old_of), expected) << "order " << seed;
    }
}

NetworkDescription rail(const RailShape& shape) {
    return make_rail(shape, shape.scale_up == DimensionKind::Switch ? fast : nvlink,
                     std::vector<LinkSpeed>(static_cast<std::size_t>(shape.rail.levels), slow));
}

NetworkDescription fat_tree(const FatTreeShape& shape) {
    return make_fat_tree(shape,
                         std::vector<LinkSpeed>(static_cast<std::size_t>(shape.levels), slow));
}

std::vector<std::string> names_of(const std::vector<Tier>& tiers) {
    std::vector<std::string> names;
    for (const Tier& tier : tiers) {
        names.push_back(tier.name);
    }
    return names;
}

TEST(FindTiers, OfRails) {
    for (const DimensionKind kind : {DimensionKind::Switch, DimensionKind::FullyConnected}) {
        for (const std::int64_t npus : {2, 3, 8}) {
            for (const std::int64_t servers : {2, 3, 5, 8, 9}) {
                for (const FatTreeShape& shape : {FatTreeShape{2, 4, servers, {2, 0}, {2, 0}},
                                                  FatTreeShape{2, 32, servers, {16, 0}, {16, 0}},
                                                  FatTreeShape{3, 6, servers, {3, 3}, {3, 3}},
                                                  FatTreeShape{3, 4, servers, {2, 2}, {2, 2}}}) {
                    if (servers <= shape.most_npus()) {
                        expect_found(rail({npus, kind, shape}),
                                     fmt::format("{} servers of {}, {} levels of radix {}", servers,
                                                 npus, shape.levels, shape.radix));
                    }
                }
            }
        }
    }
    // Rails as fast as scale-up, and with more servers at a leaf than NPUs in a server.
    expect_found(
        make_rail({2, DimensionKind::Switch, {2, 8, 12, {4, 0}, {4, 0}}}, slow, {slow, slow}),
        "equal speeds");
    const RailShape shape{4, DimensionKind::Switch, {2, 4, 5, {2, 0}, {2, 0}}};
    EXPECT_THAT(names_of(find_tiers(rail(shape).graph)), ElementsAre("server", "all"));
}

TEST(FindTiers, OfFatTrees) {
    test::Draw draw(5);
    for (int i = 0; i < 150; ++i) {
        FatTreeShape shape;
        shape.levels = draw.one_in(2) ? 2 : 3;
        shape.radix = draw.from_to(4, shape.levels == 2 ? 12 : 8);
        for (std::size_t level = 0; level + 1 < static_cast<std::size_t>(shape.levels); ++level) {
            shape.down[level] = draw.from_to(2, shape.radix - 1);
            shape.up[level] = shape.radix - shape.down[level];
        }
        shape.npus = draw.from_to(2, std::min<std::int64_t>(shape.most_npus(), 120));
        expect_found(fat_tree(shape),
                     fmt::format("{} levels, radix {}, {} NPUs, down {} {}", shape.levels,
                                 shape.radix, shape.npus, shape.down[0], shape.down[1]));
    }
    EXPECT_THAT(names_of(find_tiers(fat_tree({3, 8, 64, {4, 4}, {4, 4}}).graph)),
                ElementsAre("leaf", "pod", "all"));
}

// Groups of three routers or more with up to as many NPUs a router as routers: then local links
// carry what a router's NPUs send to the group. Links between groups are as fast, or slower.
TEST(FindTiers, OfDragonflies) {
    for (const LinkSpeed& global : {slow, LinkSpeed{Rate(25'000'000'000), Time::ns(1000)}}) {
        for (const std::int64_t a : {3, 4, 6}) {
            for (const std::int64_t p : {1, 2, 3}) {
                for (const std::int64_t h : {1, 2}) {
                    for (const std::int64_t groups : {a * h / 2 + 2, a * h, a * h + 1}) {
                        expect_found(make_dragonfly({a, p, h, groups}, {slow, slow, global}),
                                     fmt::format("a {} p {} h {}, {} groups, global {}", a, p, h,
                                                 groups, global.rate.bytes_per_second()));
                    }
                }
            }
        }
    }
    EXPECT_THAT(names_of(find_tiers(make_dragonfly({4, 2, 2, 9}, {slow, slow, slow}).graph)),
                ElementsAre("group", "all"));
}

// Also where scale-up is slower than the rails and where the links of a dragonfly do not tell local
// from global ones: then the order of NPUs does.
TEST(FindTiers, OfNetworksInTheUsualOrder) {
    std::mt19937_64 random(13);
    for (int i = 0; i < 400; ++i) {
        const std::string text =
            packet_test::random_network_text(static_cast<unsigned>(i) % 4, random);
        const NetworkDescription network = network_from(text);
        if (network.graph.npus() > 1) {
            const std::vector<Tier> found = find_tiers(network.graph);
            expect_valid_tiers(found, network.graph.npus());
            EXPECT_EQ(partitions(found), partitions(network.tiers)) << text;
        }
    }
}

// In the usual order every product is recognised, whatever its kinds and speeds.
TEST(FindTiers, OfProductsInTheUsualOrder) {
    test::Draw draw(7);
    for (int i = 0; i < 200; ++i) {
        std::vector<Dimension> dimensions;
        for (std::int64_t left = draw.from_to(1, 3); left > 0; --left) {
            const auto kind = draw.any_of({DimensionKind::Ring, DimensionKind::FullyConnected,
                                           DimensionKind::Switch, DimensionKind::Mesh1D});
            const auto size = static_cast<std::int32_t>(draw.from_to(1, 6));
            const Rate rate(draw.any_of<std::int64_t>({25, 50, 100}) * 1'000'000'000);
            dimensions.push_back(make_dimension(kind, size, rate, Time::ns(500)));
        }
        const NetworkDescription network = make_network(dimensions);
        if (network.graph.npus() > 1) {
            EXPECT_EQ(partitions(find_tiers(network.graph)), partitions(network.tiers))
                << network.name;
        }
    }
    EXPECT_THAT(
        names_of(find_tiers(product({DimensionKind::Ring, DimensionKind::Switch}, {4, 2}).graph)),
        ElementsAre("Ring", "Switch"));
}

// In any order where inner dimensions have the higher rate an NPU.
TEST(FindTiers, OfProductsOfSwitchesAndCliquesInAnyOrder) {
    test::Draw draw(9);
    for (int i = 0; i < 100; ++i) {
        std::vector<Dimension> dimensions;
        std::int64_t rate = 400;
        for (std::int64_t left = draw.from_to(1, 3); left > 0; --left) {
            const auto size = static_cast<std::int32_t>(draw.from_to(2, 5));
            const bool clique = draw.one_in(2);
            // 400, 100 and 25 GB/s an NPU, about: whole numbers a link.
            dimensions.push_back(
                make_dimension(clique ? DimensionKind::FullyConnected : DimensionKind::Switch, size,
                               Rate(rate * 1'000'000'000 / (clique ? size - 1 : 1)), Time::ns(5)));
            rate /= 4;
        }
        const NetworkDescription network = make_network(dimensions);
        expect_found(network, network.name);
    }
}

TEST(FindTiers, ReadersOfCustomFindThem) {
    const std::vector<NetworkDescription> networks{
        rail({4, DimensionKind::FullyConnected, {2, 4, 5, {2, 0}, {2, 0}}}),
        fat_tree({3, 4, 14, {2, 2}, {2, 2}}), make_dragonfly({4, 2, 2, 5}, {slow, slow, slow}),
        product({DimensionKind::Ring, DimensionKind::Switch}, {4, 3})};
    for (const NetworkDescription& network : networks) {
        const NetworkDescription custom = network_from(test::custom_text(network.graph));
        EXPECT_EQ(custom.graph.links(), network.graph.links());
        EXPECT_EQ(partitions(custom.tiers), partitions(network.tiers)) << network.name;
    }
    const NetworkDescription& tree = networks[1];
    const Renumbered other = shuffled(tree.graph, 4);
    EXPECT_EQ(partitions(network_from(test::custom_text(other.graph)).tiers, other.old_of),
              partitions(tree.tiers));
    const std::vector<Tier> sites = shipped("two-sites").tiers;
    EXPECT_THAT(names_of(sites), ElementsAre("leaf", "all"));
    EXPECT_THAT(sites[0].block_of_npu, ElementsAre(0, 0, 0, 0, 0, 0, 1, 1));
}

/// Links in both directions between numbered nodes, GB/s.
struct Cable {
    int from;
    int to;
    int rate = 50;
};

Graph graph_of(int npus, int switches, const std::vector<Cable>& cables) {
    Graph graph = network_of_npus("", npus, 0, 0).graph;
    for (int i = 0; i < switches; ++i) {
        graph.add_node(NodeKind::Switch, "s" + std::to_string(i));
    }
    for (const Cable& cable : cables) {
        const Rate rate(std::int64_t{cable.rate} * 1'000'000'000);
        graph.add_link({NodeId(cable.from), NodeId(cable.to), rate, Time::ns(500)});
        graph.add_link({NodeId(cable.to), NodeId(cable.from), rate, Time::ns(500)});
    }
    return graph;
}

/// `servers` servers of 4 NPUs: each NPU at 2 planes of its server at 200 GB/s, and through a NIC
/// at the rail of its place at 50 GB/s.
std::vector<Cable> servers_with_planes(int servers) {
    std::vector<Cable> cables;
    const int npus = 4 * servers;
    for (int npu = 0; npu < npus; ++npu) {
        cables.push_back({npu, npus + npu / 4 * 2, 200});
        cables.push_back({npu, npus + npu / 4 * 2 + 1, 200});
        const int nic = npus + 2 * servers + npu;
        cables.push_back({npu, nic});
        cables.push_back({nic, 2 * npus + 2 * servers + npu % 4});
    }
    return cables;
}

TEST(FindTiers, OfServersWithPlanesAndNics) {
    const std::vector<Cable> cables = servers_with_planes(3);
    const std::vector<Tier> tiers = find_tiers(graph_of(12, 6 + 12 + 4, cables));
    EXPECT_THAT(names_of(tiers), ElementsAre("server", "all"));
    EXPECT_THAT(tiers[0].block_of_npu, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2));
    // Any one cable may be missing.
    for (std::size_t missing = 0; missing < cables.size(); ++missing) {
        std::vector<Cable> others = cables;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(missing));
        const std::vector<Tier> found = find_tiers(graph_of(12, 6 + 12 + 4, others));
        EXPECT_EQ(partitions(found), partitions(tiers)) << missing;
    }
}

// A rail-optimised network whose rails meet at spines: servers, then those at the same leaves.
TEST(FindTiers, OfRailsThatShareSpines) {
    std::vector<Cable> cables;
    for (int npu = 0; npu < 16; ++npu) {  // 8 servers of 2, at leaves 24 + 2 (unit of 4) + place
        cables.push_back({npu, 16 + npu / 2, 400});
        cables.push_back({npu, 24 + npu / 8 * 2 + npu % 2});
    }
    for (int leaf = 24; leaf < 28; ++leaf) {
        cables.push_back({leaf, 28, 200});
        cables.push_back({leaf, 29, 200});
    }
    const std::vector<Tier> tiers = find_tiers(graph_of(16, 14, cables));
    EXPECT_THAT(names_of(tiers), ElementsAre("server", "pod", "all"));
    EXPECT_THAT(partitions(tiers)[1], ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(FindTiers, OfCliquesThatLackLinks) {
    NetworkDescription network =
        rail({8, DimensionKind::FullyConnected, {2, 8, 4, {4, 0}, {4, 0}}});
    const std::set<std::set<std::int32_t>> missing{{1, 2}, {2, 5}, {9, 12}};
    Graph graph = network_of_npus("", 32, 0, 0).graph;
    for (std::size_t node = 32; node < network.graph.nodes(); ++node) {
        graph.add_node(NodeKind::Switch, network.graph.name(NodeId(node)));
    }
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        const Link& link = network.graph.link(LinkId(i));
        const std::set<std::int32_t> ends{link.from.value(), link.to.value()};
        if (missing.count(ends) == 0) {
            graph.add_link(link);
        }
    }
    ASSERT_EQ(graph.links() + 6, network.graph.links());
    EXPECT_EQ(partitions(find_tiers(graph)), partitions(network.tiers));
}

// All eight are pairwise linked, but two cliques of four by links that are faster.
TEST(FindTiers, OfCliquesWithinAClique) {
    std::vector<Cable> cables;
    for (int i = 0; i < 8; ++i) {
        for (int other = 0; other < i; ++other) {
            cables.push_back({other, i, other % 2 == i % 2 ? 150 : 25});
        }
    }
    const std::vector<Tier> tiers = find_tiers(graph_of(8, 0, cables));
    EXPECT_THAT(names_of(tiers), ElementsAre("server", "all"));
    EXPECT_THAT(tiers[0].block_of_npu, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
}

TEST(FindTiers, OneTierOfAStarOrAClique) {
    std::vector<Cable> star;
    std::vector<Cable> clique;
    for (int i = 0; i < 5; ++i) {
        star.push_back({i, 5, 10 * (i + 1)});
        for (int other = 0; other < i; ++other) {
            clique.push_back({other, i, 10 * (i + 1)});
        }
    }
    for (const Graph& graph : {graph_of(5, 1, star), graph_of(5, 0, clique)}) {
        const std::vector<Tier> tiers = find_tiers(graph);
        EXPECT_THAT(names_of(tiers), ElementsAre("all"));
        expect_valid_tiers(tiers, 5);
    }
    expect_valid_tiers(find_tiers(graph_of(1, 0, {})), 1);
    EXPECT_EQ(find_tiers(graph_of(1, 0, {})).size(), 1U);
}

TEST(FindTiers, NoneWhereLinksGiveNone) {
    // A ring in another order.
    EXPECT_THAT(find_tiers(graph_of(6, 0, {{0, 3}, {3, 1}, {1, 4}, {4, 2}, {2, 5}, {5, 0}})),
                IsEmpty());
    // Fast rings of five, and slow switches between them: an NPU's fast links come first.
    std::vector<Cable> cables;
    for (int npu = 0; npu < 5; ++npu) {
        cables.push_back({npu, (npu + 2) % 5, 200});
        cables.push_back({5 + npu, 5 + (npu + 1) % 5, 200});
        cables.push_back({npu, 10 + npu});
        cables.push_back({5 + npu, 10 + npu});
    }
    EXPECT_THAT(find_tiers(graph_of(10, 5, cables)), IsEmpty());
    // Links that lead one way only.
    Graph ring = network_of_npus("", 6, 0, 0).graph;
    for (int i = 0; i < 6; ++i) {
        ring.add_link({NodeId(i), NodeId((i + 1) % 6), Rate(1), Time()});
    }
    EXPECT_THAT(find_tiers(ring), IsEmpty());
}

TEST(FindTiers, OfIrregularGraphsAreValid) {
    test::Draw draw(11);
    std::size_t found = 0;
    for (int i = 0; i < 2000; ++i) {
        const int npus = static_cast<int>(draw.from_to(1, 24));
        const int switches = static_cast<int>(draw.from_to(0, 10));
        const int nodes = npus + switches;
        std::vector<Cable> cables;
        for (int node = 1; node < nodes; ++node) {
            const int other = static_cast<int>(draw.below(node));
            cables.push_back({other, node, draw.any_of({25, 50, 100})});
        }
        for (std::int64_t more = draw.from_to(0, 60); more > 0 && nodes > 1; --more) {
            const int from = static_cast<int>(draw.below(nodes));
            const int step = static_cast<int>(draw.from_to(1, nodes - 1));
            cables.push_back({from, (from + step) % nodes, draw.any_of({25, 50, 100})});
        }
        const Graph graph = graph_of(npus, switches, cables);
        const std::vector<Tier> tiers = find_tiers(graph);
        expect_valid_tiers(tiers, graph.npus());
        found += tiers.size() > 1 ? 1 : 0;
        // The numbers of nodes and links are of no consequence but for products.
        const Renumbered other = shuffled(graph, 3);
        if (dimensions_of(graph, neighbours_of(graph)).empty() &&
            dimensions_of(other.graph, neighbours_of(other.graph)).empty()) {
            EXPECT_EQ(partitions(find_tiers(other.graph), other.old_of), partitions(tiers)) << i;
        }
    }
    EXPECT_GT(found, 100U);
}

TEST(FindTiers, OfLargeNetworks) {
    expect_found(rail({8, DimensionKind::Switch, {3, 16, 1024, {8, 8}, {8, 8}}}), "rails");
    expect_found(fat_tree({3, 32, 8192, {16, 16}, {16, 16}}), "fat tree");
    expect_found(make_dragonfly({16, 8, 8, 64}, {slow, slow, slow}), "dragonfly");
}

}  // namespace
}  // namespace npunet::topology::tiers_test

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "topology/builders/builder.h"
#include "topology/builders/dragonfly.h"
#include "topology/builders/fat_tree.h"
#include "topology/builders/rail.h"
#include "topology/network/deadlock.h"
#include "topology/routing/graph_router.h"
#include "topology/routing/pair_hash.h"
#include "topology/routing/product_routing.h"

namespace npunet::topology::multipath_test {
namespace {

constexpr LinkSpeed speed{Rate(50'000'000'000), Time::ns(500)};

struct Line {
    DimensionKind kind;
    int size;
};

NetworkDescription product(const std::vector<Line>& lines) {
    std::vector<Dimension> dimensions;
    for (const Line& line : lines) {
        dimensions.push_back(make_dimension(line.kind, line.size, speed.rate, speed.latency));
    }
    NetworkDescription network = make_network(dimensions, "product");
    network.multipath = std::make_shared<ProductNextHops>(dimensions);
    return network;
}

NetworkDescription tree(const FatTreeShape& shape, Spread spread) {
    NetworkDescription network =
        make_fat_tree(shape, std::vector<LinkSpeed>(static_cast<std::size_t>(shape.levels), speed));
    network.multipath = std::make_shared<FatTreeNextHops>(shape, spread);
    return network;
}

NetworkDescription rail(const RailShape& shape, Spread spread) {
    NetworkDescription network = make_rail(
        shape, speed, std::vector<LinkSpeed>(static_cast<std::size_t>(shape.rail.levels), speed));
    network.multipath = std::make_shared<RailNextHops>(shape, spread);
    return network;
}

NetworkDescription dragonfly(const DragonflyShape& shape) {
    NetworkDescription network = make_dragonfly(shape, {speed, speed, speed});
    network.multipath = std::make_shared<DragonflyNextHops>(shape);
    return network;
}

std::vector<NetworkDescription> networks() {
    const auto ring = [](int n) { return Line{DimensionKind::Ring, n}; };
    const auto mesh = [](int n) { return Line{DimensionKind::Mesh1D, n}; };
    const auto full = [](int n) { return Line{DimensionKind::FullyConnected, n}; };
    const auto star = [](int n) { return Line{DimensionKind::Switch, n}; };
    std::vector<NetworkDescription> all;
    for (const std::vector<Line>& lines :
         std::vector<std::vector<Line>>{{mesh(2)},
                                        {mesh(4), mesh(4)},
                                        {mesh(3), mesh(2), mesh(4)},
                                        {ring(3)},
                                        {ring(4)},
                                        {ring(7)},
                                        {ring(8)},
                                        {ring(4), ring(4)},
                                        {ring(5), ring(6)},
                                        {ring(3), ring(5)},
                                        {ring(4), ring(3), ring(4)},
                                        {ring(2), ring(6)},
                                        {star(5)},
                                        {star(3), ring(4)},
                                        {ring(4), star(3)},
                                        {mesh(3), star(3), star(2)},
                                        {full(4), star(3), ring(5)},
                                        {full(6)}}) {
        all.push_back(product(lines));
    }
    for (const Spread spread : {Spread::Spray, Spread::Adaptive}) {
        all.push_back(tree({2, 4, 8, {2, 0}, {2, 0}}, spread));
        all.push_back(tree({2, 6, 21, {4, 0}, {2, 0}}, spread));
        all.push_back(tree({3, 4, 16, {2, 2}, {2, 2}}, spread));
        all.push_back(tree({3, 4, 11, {2, 2}, {2, 2}}, spread));
        all.push_back(tree({3, 6, 50, {4, 3}, {2, 3}}, spread));
        all.push_back(tree({3, 7, 40, {2, 4}, {3, 1}}, spread));
        all.push_back(rail({3, DimensionKind::Switch, {2, 4, 6, {2, 0}, {2, 0}}}, spread));
        all.push_back(rail({2, DimensionKind::FullyConnected, {3, 4, 9, {2, 2}, {2, 2}}}, spread));
    }
    for (const DragonflyShape& shape : std::vector<DragonflyShape>{{2, 1, 1, 3},
                                                                   {4, 2, 2, 9},
                                                                   {2, 2, 2, 3},
                                                                   {3, 1, 2, 4},
                                                                   {1, 2, 3, 4},
                                                                   {2, 1, 1, 2},
                                                                   {3, 2, 0, 1},
                                                                   {4, 1, 1, 5}}) {
        all.push_back(dragonfly(shape));
    }
    return all;
}

// Packets wait for room only on ways without a promise. The channels for which they wait, whatever
// they hold meanwhile, form no cycle (Duato 1993; topology/routing/multipath.h): on all these
// networks, for every pair of NPUs and every way that they may have taken.
TEST(Multipath, WaitsHaveNoCycle) {
    for (const NetworkDescription& network : networks()) {
        const std::vector<Hop> cycle = waiting_dependencies(network, 32).find_cycle();
        EXPECT_TRUE(cycle.empty()) << network.name << " " << network.multipath->name() << ": "
                                   << describe_cycle(network.graph, cycle);
    }
}

// Whatever is chosen, every way leads on: its link leaves the node, the channel exists, promises
// have an escape beside them, the first link of dimension order from there, and the destination is
// reached within the longest way: as many links as the fixed route on products, trees and rails
// (minimal), and on dragonflies at most one group more: NPU, local, global, local, global, local,
// NPU = 7 links.
TEST(Multipath, EveryRouteLeadsToTheDestination) {
    for (const NetworkDescription& network : networks()) {
        const Graph& graph = network.graph;
        const bool minimal = network.multipath->name() != "ugal";
        std::vector<OfferedHop> ways;
        for (std::size_t from = 0; from < graph.npus(); ++from) {
            for (std::size_t to = 0; to < graph.npus(); ++to) {
                if (from == to) {
                    continue;
                }
                const std::size_t fixed = network.route(NodeId(from), NodeId(to)).size();
                for (std::uint64_t draw = 0; draw < 6; ++draw) {
                    PacketPlace place{NodeId(from),
                                      NodeId(from),
                                      NodeId(to),
                                      Hop(),
                                      draw,
                                      0,
                                      static_cast<std::uint32_t>(draw)};
                    Hop then;
                    std::size_t hops = 0;
                    for (; place.at != place.destination && hops <= 7; ++hops) {
                        Hop hop = then;
                        std::uint32_t memory = place.memory;
                        then = Hop();
                        if (!hop.link.valid()) {
                            network.multipath->list_next_hops(graph, place, ways);
                            ASSERT_FALSE(ways.empty());
                            std::set<bool> promised;
                            bool escape = false;
                            for (const OfferedHop& way : ways) {
                                promised.insert(way.needs_room);
                                escape = escape || way.escape;
                                if (way.escape) {
                                    EXPECT_EQ(way.hop.link,
                                              network.route(place.at, NodeId(to))[0].link);
                                }
                                EXPECT_LT(way.hop.virtual_channel, network.virtual_channels());
                            }
                            EXPECT_EQ(escape, promised.count(true) == 1);
                            EXPECT_TRUE(!network.multipath->is_oblivious() || ways.size() == 1);
                            const OfferedHop& taken = ways[(draw * 7 + hops * 3) % ways.size()];
                            hop = taken.hop;
                            then = taken.then;
                            memory = taken.memory;
                        }
                        ASSERT_EQ(graph.link(hop.link).from, place.at);
                        place.at = graph.link(hop.link).to;
                        place.in = hop;
                        place.memory = memory;
                    }
                    EXPECT_EQ(place.at, place.destination) << network.name;
                    EXPECT_LE(hops, minimal ? fixed : 7U) << network.name;
                    EXPECT_TRUE(!minimal || hops == fixed);
                }
            }
        }
    }
}

// At the router of a source, on dragonflies of three groups or more: the minimal way and one by a
// third group, each with the weight of the links that it takes up to the destination's router; of
// two groups the minimal way alone. Links of NPUs have channel 0 only.
TEST(Multipath, UgalWeighsWaysByTheirLinks) {
    for (const DragonflyShape& shape : std::vector<DragonflyShape>{
             {4, 2, 2, 9}, {2, 2, 2, 3}, {3, 1, 2, 4}, {1, 2, 3, 4}, {2, 1, 1, 2}}) {
        const NetworkDescription network = dragonfly(shape);
        const Graph& graph = network.graph;
        const auto group_of = [&](NodeId router) {
            return (router.value() - shape.npus()) / shape.a;
        };
        std::vector<OfferedHop> ways;
        for (std::int64_t from = 0; from < shape.npus(); ++from) {
            for (std::int64_t to = 0; to < shape.npus(); ++to) {
                const NodeId target =
                    graph.link(graph.links_from(NodeId(static_cast<int>(to)))[0]).to;
                PacketPlace start{NodeId(static_cast<int>(from)),
                                  NodeId(static_cast<int>(from)),
                                  NodeId(static_cast<int>(to)),
                                  Hop(),
                                  static_cast<std::uint64_t>(3 * from + to),
                                  0};
                if (from == to) {
                    continue;
                }
                network.multipath->list_next_hops(graph, start, ways);
                ASSERT_EQ(ways.size(), 1U);
                EXPECT_EQ(ways.front().hop.virtual_channel, 0);
                start.in = ways.front().hop;
                start.at = graph.link(start.in.link).to;
                if (group_of(start.at) == group_of(target)) {
                    continue;
                }
                network.multipath->list_next_hops(graph, start, ways);
                const std::vector<OfferedHop> offered = ways;
                ASSERT_EQ(offered.size(), shape.groups < 3 ? 1U : 2U);
                for (std::size_t i = 0; i < offered.size(); ++i) {
                    PacketPlace place = start;
                    std::set<std::int64_t> groups{group_of(place.at)};
                    std::int64_t links = 0;
                    ways = {offered[i]};
                    while (place.at != target && links < 8) {
                        const OfferedHop way = ways.front();
                        for (const Hop hop : {way.hop, way.then}) {
                            if (hop.link.valid()) {
                                place.in = hop;
                                place.at = graph.link(hop.link).to;
                                ++links;
                            }
                        }
                        groups.insert(group_of(place.at));
                        place.memory = way.memory;
                        network.multipath->list_next_hops(graph, place, ways);
                    }
                    EXPECT_EQ(links, offered[i].weight) << from << " to " << to << " way " << i;
                    EXPECT_EQ(groups.size(), 2 + i);
                    EXPECT_EQ(ways.front().hop.virtual_channel, 0);
                }
            }
        }
    }
}

// Four groups of six routers, two links between any two groups, one global link a router: router 0
// has none to the groups 2 and 3, so that a packet that goes round group 1 draws the group between
// (1 of 2) and the link to it (1 of 2). The draws are independent: each of the four comes up 1000
// times of 4000, binomial with standard deviation 27.4; within 5.5 of these.
TEST(Multipath, UgalDrawsGroupAndLinkIndependently) {
    const DragonflyShape shape{6, 1, 1, 4};
    const NetworkDescription network = dragonfly(shape);
    const Graph& graph = network.graph;
    const LinkId up = graph.links_from(NodeId(0))[0];
    const PacketPlace start{graph.link(up).to, NodeId(0), NodeId(6), Hop{up, 0}, 0, 0};
    std::map<std::int32_t, int> drawn;
    std::vector<OfferedHop> ways;
    for (std::uint64_t packet = 0; packet < 4000; ++packet) {
        PacketPlace place = start;
        place.hash = pair_hash(packet, NodeId(0), NodeId(6));
        network.multipath->list_next_hops(graph, place, ways);
        ASSERT_EQ(ways.size(), 2U);
        ASSERT_TRUE(ways[1].then.link.valid()) << "a local link, then the global one";
        ++drawn[static_cast<std::int32_t>(ways[1].then.link.index())];
    }
    EXPECT_EQ(drawn.size(), 4U);
    for (const auto& [link, packets] : drawn) {
        EXPECT_NEAR(packets, 1000, 150) << "global link " << link;
    }
}

// The escape of a ring of 8, closed by 7 - 0: channel 0 while that link is ahead or next, 1
// otherwise; the adaptive channel is 2. Half-way round, 0 to 4, there are two adaptive ways, and
// one escape, upwards.
TEST(Multipath, EscapeChangesItsChannelAtTheDateline) {
    const NetworkDescription ring = product({{DimensionKind::Ring, 8}});
    const auto escape = [&](int at, int to) {
        std::vector<OfferedHop> ways;
        ring.multipath->list_next_hops(ring.graph,
                                       {NodeId(at), NodeId(at), NodeId(to), Hop(), 0, 0}, ways);
        EXPECT_EQ(ways.size(), (to - at + 8) % 8 == 4 ? 3U : 2U);
        for (std::size_t i = 0; i + 1 < ways.size(); ++i) {
            EXPECT_TRUE(ways[i].needs_room && ways[i].hop.virtual_channel == 2);
        }
        EXPECT_TRUE(ways.back().escape);
        const Hop hop = ways.back().hop;
        return std::pair(ring.graph.link(hop.link).to.value(), int{hop.virtual_channel});
    };
    EXPECT_EQ(escape(6, 1), std::pair(7, 0));
    EXPECT_EQ(escape(7, 1), std::pair(0, 0));
    EXPECT_EQ(escape(0, 1), std::pair(1, 1));
    EXPECT_EQ(escape(2, 5), std::pair(3, 1));
    EXPECT_EQ(escape(1, 6), std::pair(0, 0));
    EXPECT_EQ(escape(5, 2), std::pair(4, 1));
    EXPECT_EQ(escape(0, 4), std::pair(1, 1));
    EXPECT_EQ(escape(4, 0), std::pair(5, 0));
}

// To the other side of a ring of four, both ways round.
TEST(Multipath, HalfWayRoundARingOfFour) {
    const NetworkDescription ring = product({{DimensionKind::Ring, 4}});
    for (int at = 0; at < 4; ++at) {
        std::vector<OfferedHop> ways;
        ring.multipath->list_next_hops(
            ring.graph, {NodeId(at), NodeId(at), NodeId((at + 2) % 4), Hop(), 0, 0}, ways);
        ASSERT_EQ(ways.size(), 3U);
        const std::set<int> next{ring.graph.link(ways[0].hop.link).to.value(),
                                 ring.graph.link(ways[1].hop.link).to.value()};
        EXPECT_EQ(next, (std::set<int>{(at + 1) % 4, (at + 3) % 4}));
    }
}

// Sprayed packets meet every up-link of their leaf: of 256 packets about 64 take each of 4, and 30
// or fewer do with probability below 10^-6 (binomial, 4.9 standard deviations).
TEST(Multipath, SpraysEvenly) {
    const NetworkDescription network = tree({2, 8, 32, {4, 0}, {4, 0}}, Spread::Spray);
    std::map<LinkId, int> taken;
    std::vector<OfferedHop> ways;
    for (std::uint64_t hash = 0; hash < 256; ++hash) {
        const PacketPlace place{NodeId(32), NodeId(0), NodeId(31), Hop{LinkId(0), 0}, hash, 0};
        network.multipath->list_next_hops(network.graph, place, ways);
        ++taken[ways.front().hop.link];
    }
    EXPECT_EQ(taken.size(), 4U);
    for (const auto& [link, packets] : taken) {
        EXPECT_GT(packets, 30) << link.value();
    }
}

// A square of switches: between opposite corners both ways round are as short, and with a parallel
// link on one side three ways in all.
TEST(Multipath, GraphOffersAllShortestPaths) {
    NetworkDescription network;
    Graph& graph = network.graph;
    graph.add_node(NodeKind::Npu, "a");
    graph.add_node(NodeKind::Npu, "b");
    for (int i = 0; i < 4; ++i) {
        graph.add_node(NodeKind::Switch, std::to_string(i));
    }
    for (const auto& [a, b] : {std::pair(0, 2), {1, 5}, {2, 3}, {2, 4}, {2, 4}, {3, 5}, {4, 5}}) {
        graph.add_link({NodeId(a), NodeId(b), speed.rate, speed.latency});
        graph.add_link({NodeId(b), NodeId(a), speed.rate, speed.latency});
    }
    const auto paths = std::make_shared<GraphRouter>(graph, GraphRoutes::Ecmp, 1);
    const GraphNextHops adaptive(paths, Spread::Adaptive);
    std::vector<OfferedHop> ways;
    adaptive.list_next_hops(graph, {NodeId(2), NodeId(0), NodeId(1), Hop{LinkId(0), 0}, 0, 0},
                            ways);
    std::set<LinkId> links;
    for (const OfferedHop& way : ways) {
        links.insert(way.hop.link);
    }
    EXPECT_EQ(links, (std::set<LinkId>{LinkId(4), LinkId(6), LinkId(8)}));
}

}  // namespace
}  // namespace npunet::topology::multipath_test

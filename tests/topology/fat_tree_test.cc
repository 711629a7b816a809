// Fat trees: what they consist of, D-mod-k and ecmp routes, and what is refused.

#include "topology/builders/fat_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "networks.h"
#include "own_networks.h"

namespace npunet::topology::fat_tree_test {
namespace {

using testing::HasSubstr;

constexpr LinkSpeed speed{Rate(50'000'000'000), Time::ns(500)};

NetworkDescription tree(std::int32_t levels, std::int64_t radix, std::int64_t npus,
                        std::array<std::int64_t, 2> down, std::array<std::int64_t, 2> up) {
    return make_fat_tree(FatTreeShape{levels, radix, npus, down, up},
                         std::vector<LinkSpeed>(static_cast<std::size_t>(levels), speed));
}

/// Radix k, as many ports up as down.
NetworkDescription balanced(std::int32_t levels, std::int64_t k) {
    const std::int64_t half = k / 2;
    return tree(levels, k, levels == 3 ? k * half * half : k * half, {half, half}, {half, half});
}

std::vector<NetworkDescription> random_trees(unsigned seed, int count) {
    std::mt19937 random(seed);
    const auto pick = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    std::vector<NetworkDescription> trees;
    for (int i = 0; i < count; ++i) {
        const auto levels = static_cast<std::int32_t>(pick(2, 3));
        FatTreeShape shape;
        shape.levels = levels;
        shape.radix = pick(2, levels == 3 ? 6 : 9);
        for (std::size_t level = 0; level < 2; ++level) {
            shape.down[level] = pick(1, shape.radix - 1);
            shape.up[level] = shape.radix - shape.down[level];
        }
        shape.npus = pick(1, std::min<std::int64_t>(shape.most_npus(), 90));
        NetworkDescription network =
            make_fat_tree(shape, std::vector<LinkSpeed>(static_cast<std::size_t>(levels), speed));
        if (pick(0, 1) == 1) {
            network.router = std::make_shared<FatTreeRouter>(
                shape, UpLinks::ByHash, static_cast<std::uint64_t>(pick(0, 1000)));
        }
        trees.push_back(std::move(network));
    }
    return trees;
}

// Al-Fares, Loukissas and Vahdat (SIGCOMM 2008): a k-ary fat tree has k^3 / 4 hosts, k^2 / 2
// leaves, k^2 / 2 aggregation switches and k^2 / 4 cores, and every level has k^3 / 4 cables.
TEST(FatTree, HasTheSwitchesOfAKaryTree) {
    for (const std::int64_t k : {2, 4, 6, 8}) {
        const Graph graph = balanced(3, k).graph;
        EXPECT_EQ(graph.npus(), static_cast<std::size_t>(k * k * k / 4));
        EXPECT_EQ(graph.nodes() - graph.npus(), static_cast<std::size_t>(5 * k * k / 4));
        EXPECT_EQ(graph.links(), static_cast<std::size_t>(2 * 3 * k * k * k / 4));
        for (std::size_t node = graph.npus(); node < graph.nodes(); ++node) {
            EXPECT_EQ(graph.links_from(NodeId(node)).size(), static_cast<std::size_t>(k));
            EXPECT_EQ(graph.links_to(NodeId(node)).size(), static_cast<std::size_t>(k));
        }
    }
}

// No switch has more ports than its radix, every NPU has one, and no two nodes two cables.
TEST(FatTree, KeepsToTheRadix) {
    for (const NetworkDescription& network : random_trees(1, 60)) {
        for (std::size_t node = 0; node < network.graph.nodes(); ++node) {
            std::set<std::int32_t> neighbours;
            for (const LinkId link : network.graph.links_from(NodeId(node))) {
                neighbours.insert(network.graph.link(link).to.value());
            }
            EXPECT_EQ(neighbours.size(), network.graph.links_from(NodeId(node)).size());
            if (node < network.graph.npus()) {
                EXPECT_EQ(neighbours.size(), 1U);
            }
        }
    }
}

TEST(FatTree, RoutesAreValidShortestAndFreeOfDeadlock) {
    for (const NetworkDescription& network : random_trees(2, 60)) {
        EXPECT_EQ(network.virtual_channels_needed(), 1);
        expect_valid_routes(network);
        expect_shortest_routes(network);
        expect_no_deadlock(network);
    }
}

// Zahavi 2012: with as many links up as down at every switch, a shift by any s loads no link with
// more than one flow.
TEST(FatTree, ShiftsMeetOnNoLink) {
    for (const NetworkDescription& network :
         {balanced(2, 4), balanced(2, 8), balanced(3, 4), balanced(3, 6),
          tree(3, 6, 36, {3, 3}, {3, 3}), tree(2, 8, 20, {4, 0}, {4, 0})}) {
        const std::size_t npus = network.graph.npus();
        for (std::size_t shift = 1; shift < npus; ++shift) {
            ASSERT_EQ(most_on_a_link(network, [&](std::size_t i) { return (i + shift) % npus; }), 1)
                << npus << " shifted by " << shift;
        }
    }
}

// A tree is full when its highest switches have a leaf (a pod) at each of `radix` ports: radix x
// down[0] NPUs, and with three levels radix x down[1] x down[0]. Levels need not be alike.
TEST(FatTree, IsFullWhenItsTopsAre) {
    EXPECT_EQ((FatTreeShape{2, 8, 1, {6, 3}, {2, 5}}).most_npus(), 8 * 6);
    EXPECT_EQ((FatTreeShape{3, 8, 1, {6, 3}, {2, 5}}).most_npus(), 8 * 3 * 6);
    EXPECT_EQ((FatTreeShape{3, 8, 1, {3, 6}, {5, 2}}).most_npus(), 8 * 6 * 3);
}

// The up-links of the header: of a destination d, d mod up[0] at the leaf and floor(d / up[0]) mod
// up[1] at the aggregation switch; of a hash, its lower 32 bits mod up[0] and its upper ones mod
// up[1]. Cables are numbered by level, then by switch, then by port; a cable's first link leads up.
TEST(FatTree, TakesTheUpLinkOfTheDestinationOrOfTheHash) {
    const FatTreeShape shape{3, 9, 0, {4, 3}, {5, 6}};
    FatTreeShape full = shape;
    full.npus = full.most_npus();
    const std::int64_t first_of_leaves = 2 * full.npus;
    const std::int64_t first_of_aggregations = first_of_leaves + 2 * full.leaves() * 5;
    const auto ups = [&](std::int64_t to, UpLinks up_links, std::uint64_t hash) {
        std::vector<Hop> hops;
        append_fat_tree_route(full, 0, to, up_links, hash, 0, hops);
        EXPECT_EQ(hops.size(), 6U);
        const auto leaf = static_cast<std::int64_t>(hops.at(1).link.index()) - first_of_leaves;
        const auto aggregation =
            static_cast<std::int64_t>(hops.at(2).link.index()) - first_of_aggregations;
        EXPECT_EQ(leaf % 2 + aggregation % 2, 0);
        EXPECT_EQ(aggregation / 2 / 6, leaf / 2)
            << "aggregation switch j is at port j of its leaves";
        return std::pair(leaf / 2, aggregation / 2 % 6);
    };
    for (std::int64_t to = 4 * 3; to < full.npus; ++to) {
        EXPECT_EQ(ups(to, UpLinks::ByDestination, 12345), std::pair(to % 5, to / 5 % 6)) << to;
    }
    for (std::uint64_t low = 0; low < 11; ++low) {
        for (std::uint64_t high = 0; high < 13; ++high) {
            EXPECT_EQ(
                ups(100, UpLinks::ByHash, high << 32U | low),
                std::pair(static_cast<std::int64_t>(low % 5), static_cast<std::int64_t>(high % 6)));
        }
    }
}

// With `o` NPUs for each up-link, the consecutive destinations of a leaf spread evenly: o flows.
TEST(FatTree, ShiftsShareOversubscribedLinksEvenly) {
    for (const std::int64_t o : {2, 3}) {
        const NetworkDescription network = tree(2, 2 * (o + 1), 8 * o, {2 * o, 0}, {2, 0});
        const std::size_t npus = network.graph.npus();
        std::int64_t most = 0;
        for (std::size_t shift = 1; shift < npus; ++shift) {
            most = std::max(
                most, most_on_a_link(network, [&](std::size_t i) { return (i + shift) % npus; }));
        }
        EXPECT_EQ(most, o);
    }
}

// The choice is a pure function of seed, source and destination; other seeds give other routes, and
// over all pairs every up-link of a leaf gets its share: 4 x 12 flows leave a leaf of 4 NPUs among
// 16 by 4 links, 12 each; binomial with standard deviation 3.
TEST(FatTree, EcmpSpreadsPairs) {
    const FatTreeShape shape{2, 8, 16, {4, 0}, {4, 0}};
    NetworkDescription network = make_fat_tree(shape, {speed, speed});
    std::set<std::vector<int>> different;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        network.router = std::make_shared<FatTreeRouter>(shape, UpLinks::ByHash, seed);
        EXPECT_EQ(network.routing_name(), "ecmp");
        EXPECT_EQ(nodes_of(network, 1, 14), nodes_of(network, 1, 14));
        different.insert(nodes_of(network, 1, 14));
        std::vector<int> flows(network.graph.links());
        for (int from = 0; from < 16; ++from) {
            for (int to = 0; to < 16; ++to) {
                for (const Hop& hop : network.route(NodeId(from), NodeId(to))) {
                    ++flows[hop.link.index()];
                }
            }
        }
        for (std::size_t link = 32; link < network.graph.links(); ++link) {
            EXPECT_GE(flows[link], 2);
            EXPECT_LE(flows[link], 26);
        }
    }
    EXPECT_EQ(different.size(), 4U);
}

// Halves made of whole leaves (pods): the narrowest level between them counts. Balanced: n / 2
// cables. Oversubscribed by o: n / (2 o).
TEST(FatTree, BisectionFollowsTheClosedForm) {
    for (const std::int64_t k : {4, 8}) {
        for (const std::int32_t levels : {2, 3}) {
            const NetworkDescription network = balanced(levels, k);
            const auto npus = static_cast<std::int64_t>(network.graph.npus());
            EXPECT_EQ(middle_cut_of(network.graph).bytes_per_second,
                      static_cast<double>(npus / 2) * 50e9);
        }
    }
    const Bisection cut = middle_cut_of(tree(2, 12, 64, {8, 0}, {4, 0}).graph);
    EXPECT_EQ(cut.links, 16);
    EXPECT_EQ(cut.bytes_per_second, 800e9);
    // Leaves 1 : 1, aggregation switches 2 : 1: half the bandwidth of the NPUs.
    EXPECT_EQ(middle_cut_of(tree(3, 6, 72, {3, 4}, {3, 2}).graph).bytes_per_second, 18 * 50e9);
    // An odd number of leaves: the halves part one of them, and traffic within it stays there. Of
    // 3 leaves with 4 NPUs each, 1 : 1, the NPUs 0 .. 5 send 300 GB/s and no more.
    EXPECT_EQ(middle_cut_of(tree(2, 8, 12, {4, 0}, {4, 0}).graph).bytes_per_second, 300e9);
}

std::string fat_tree(const std::string& parameters) {
    return "FatTree: {" + parameters + "}\n";
}
const std::string links_2 = ", bandwidth: [50, 100], latency: [500, 1us]";

TEST(FatTreeSection, IsReadInEveryForm) {
    const std::string parameters =
        "levels: 2, radix: 12, npus: 64, oversubscription: [2]" + links_2;
    for (const std::string& text : {fat_tree(parameters),
                                    "topology: [{"
                                    "FatTree: {" +
                                        parameters + "}}]\n",
                                    "topology: {FatTree: {" + parameters + "}}\n"}) {
        const NetworkDescription network = network_from(text);
        EXPECT_EQ(network.name, "FatTree");
        EXPECT_TRUE(network.dimensions.empty());
        EXPECT_EQ(network.graph.npus(), 64U);
        EXPECT_EQ(network.graph.nodes(), 64U + 8 + 4);
        EXPECT_EQ(network.graph.link(LinkId(0)).rate, Rate(50'000'000'000));
        EXPECT_EQ(network.graph.link(LinkId(128)).rate, Rate(100'000'000'000));
        EXPECT_EQ(network.graph.link(LinkId(128)).latency, Time::ns(1000));
        EXPECT_EQ(network.routing_name(), "up-down");
        EXPECT_EQ(network.npu_of_rank.size(), 64U);
    }
    const std::string tree = fat_tree("levels: 3, radix: 4, npus: 16, bandwidth: 50, latency: 5");
    EXPECT_EQ(network_from(tree + "packet: {routing: ecmp, seed: 7}\n").routing_name(), "ecmp");
    EXPECT_EQ(network_from(tree + "packet: {routing: up-down}\n").routing_name(), "up-down");
    EXPECT_EQ(network_from(tree + "packet: {mtu: 1024}\n").routing_name(), "up-down");
    EXPECT_EQ(network_from(tree + "placement: [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, "
                                  "0]\n")
                  .npu_of_rank[0],
              NodeId(15));
    EXPECT_EQ(network_from(tree + "faults: [{link: [npu0, leaf0], bandwidth_factor: 0.5}]\n")
                  .faults.links.size(),
              2U);
}

TEST(FatTreeSection, RefusesWhatDoesNotFit) {
    const auto refuses = [](const std::string& parameters, const std::string& message) {
        EXPECT_EQ(refusal_of(fat_tree(parameters)), message);
    };
    refuses("levels: 2, radix: 8, npus: 33" + links_2,
            "line 1, FatTree.npus: found 33 NPUs with radix: 8; expected at most 32: 8 leaves x 4 "
            "NPUs. Use a larger radix or 3 levels");
    refuses("levels: 3, radix: 4, npus: 17" + links_2,
            "line 1, FatTree.npus: found 17 NPUs with radix: 4; expected at most 16: 4 pods x 2 "
            "leaves x 2 NPUs. Use a larger radix");
    refuses("levels: 2, radix: 10, oversubscription: [2], npus: 8" + links_2,
            "line 1, FatTree.oversubscription[0]: found 2 with radix: 10; expected a ratio that "
            "splits the 10 ports of a switch into whole numbers, such as 9: 9 down and 1 up. Use a "
            "radix that is a multiple of 3");
    refuses("levels: 2, radix: 7, npus: 8" + links_2,
            "line 1, FatTree.radix: found '7'; expected an even number: half of the ports lead up. "
            "Or give oversubscription");
    for (const auto& [parameters, part] : std::vector<std::pair<std::string, std::string>>{
             {"levels: 2, radix: 8" + links_2,
              "FatTree.npus: found nothing; expected the key 'npus'"},
             {"radix: 8, npus: 8" + links_2,
              "FatTree.levels: found nothing; expected the key 'levels'"},
             {"levels: 2, npus: 8" + links_2,
              "FatTree.radix: found nothing; expected the key 'radix'"},
             {"levels: 2, radix: 8, npus: 8, latency: 5",
              "FatTree.bandwidth: found nothing; expected the key 'bandwidth'"},
             {"levels: 2, radix: 8, npus: 8, bandwidth: 5",
              "FatTree.latency: found nothing; expected the key 'latency'"},
             {"levels: 4, radix: 8, npus: 8" + links_2, "a whole number from 2 to 3"},
             {"levels: 2, radix: -8, npus: 8" + links_2, "a whole number from 2 to 65536"},
             {"levels: 2, radix: 1e12, npus: 8" + links_2, "a whole number from 2 to 65536"},
             {"levels: 2, radix: 8, npus: 0" + links_2, "a whole number from 1 to 2097152"},
             {"levels: 2, radix: 8, npus: 2.5" + links_2, "a whole number from 1"},
             {"levels: 2, radix: 8, npus: 1e300" + links_2, "a whole number from 1"},
             {"levels: 2, radix: 8, npus: nan" + links_2, "a whole number from 1"},
             {"levels: 2, radix: 8, npus: 8, oversubscription: [0]" + links_2, "above 0"},
             {"levels: 2, radix: 8, npus: 8, oversubscription: [-1]" + links_2, "above 0"},
             {"levels: 2, radix: 8, npus: 8, oversubscription: [1e30]" + links_2, "into whole"},
             {"levels: 2, radix: 8, npus: 8, oversubscription: [1, 1]" + links_2,
              "a list of 2; expected 1 for 2 levels"},
             {"levels: 2, radix: 8, npus: 8, bandwidth: [50], latency: 5",
              "a list of 1; expected one value, or a list of 2: [host, up1]"},
             {"levels: 2, radix: 8, npus: 8, bandwidth: [50, 0], latency: 5", "above 0"},
             {"levels: 2, radix: 8, npus: 8, bandwidth: [50, 50], latency: [5, -1]", "from 0"},
             {"levels: 2, radix: 8, npus: 8, taper: 2" + links_2, "the unknown key 'taper'"},
             {"levels: 3, radix: 65536, npus: 2097152, oversubscription: [1, 1], bandwidth: 5, "
              "latency: 5",
              "NPUs and switches; expected at most 4194304"}}) {
        EXPECT_THAT(refusal_of(fat_tree(parameters)), HasSubstr(part)) << parameters;
    }
}

TEST(FatTreeSection, StandsAlone) {
    const std::string parameters = "{levels: 2, radix: 8, npus: 8" + links_2 + "}";
    const std::string ring = "npus_count: [4]\nbandwidth: [5]\nlatency: [5]\n";
    EXPECT_THAT(refusal_of("topology: [Ring]\n" + ring + "FatTree: " + parameters),
                HasSubstr("found topology in addition to FatTree; expected one of the two"));
    EXPECT_THAT(refusal_of("topology: [Ring, {FatTree: " + parameters + "}]\n" + ring),
                HasSubstr("found FatTree as one of 2 entries; expected a network on its own"));
    EXPECT_THAT(refusal_of("npus_count: [4]\nFatTree: " + parameters),
                HasSubstr("the unknown key 'npus_count'"));
    EXPECT_THAT(refusal_of("FatTree: 3\n"), HasSubstr("found '3'; expected a map of parameters"));
    EXPECT_THAT(refusal_of("topology: [FatTree]\n" + ring),
                HasSubstr("found 'FatTree'; expected its parameters, and no other entry. Write "
                          "FatTree: {...} instead of topology"));
    EXPECT_THAT(refusal_of("FatTree: " + parameters + "\nplacement: snake\n"),
                HasSubstr("'snake' on a network without dimensions"));
    EXPECT_THAT(refusal_of("FatTree: " + parameters + "\npacket: {routing: xy}\n"),
                HasSubstr("found 'xy'; expected one of auto, up-down, ecmp"));
    EXPECT_THAT(refusal_of("FatTree: " + parameters + "\npacket: {routing: ugal}\n"),
                HasSubstr("expected one of auto, up-down, ecmp, spray, adaptive"));
}

}  // namespace
}  // namespace npunet::topology::fat_tree_test

// Parts of networks for processes: what is together, and that nothing is cut that must not be.

#include "topology/graph/graph_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/packet/random_networks.h"
#include "topology/builders/builder.h"
#include "topology/builders/fat_tree.h"
#include "topology/network/injection.h"

namespace npunet::topology::graph_partition_test {
namespace {

const Rate rate(50'000'000'000);

std::size_t links_between_parts(const Graph& graph, const std::vector<std::uint32_t>& parts) {
    std::size_t cut = 0;
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const Link& link = graph.link(LinkId(i));
        cut += parts[link.from.index()] != parts[link.to.index()] ? 1 : 0;
    }
    return cut;
}

// A torus of 4 x 4 in two slabs of two rows: 4 columns are cut in two places, both ways: 16 links.
// In four rows: 4 columns in four places, 32 links.
TEST(Parts, SlabsOfATorus) {
    const NetworkDescription torus = make_network(
        std::vector<Dimension>(2, make_dimension(DimensionKind::Ring, 4, rate, Time::ns(500))));
    const std::vector<std::uint32_t> two = partition_graph(torus.graph, 2);
    EXPECT_EQ(two, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(links_between_parts(torus.graph, two), 16U);
    EXPECT_EQ(links_between_parts(torus.graph, partition_graph(torus.graph, 4)), 32U);
}

// A fat tree of radix 4 has two pods for each of two parts, with their switches. Its four core
// switches see all pods alike, so two go to each part: each has 2 cables to the pods of the other,
// 8 cables or 16 links are cut.
TEST(Parts, PodsOfAFatTree) {
    const std::vector<LinkSpeed> speeds(3, {rate, Time::ns(500)});
    const NetworkDescription tree = make_fat_tree({3, 4, 16, {2, 2}, {2, 2}}, speeds);
    const std::vector<std::uint32_t> parts = partition_graph(tree.graph, 2);
    EXPECT_EQ(links_between_parts(tree.graph, parts), 16U);
    EXPECT_EQ(std::count(parts.begin(), parts.end(), 0U),
              std::count(parts.begin(), parts.end(), 1U));
}

// The links of an injection port have no latency: a router is with its NPU.
TEST(Parts, RoutersAreWithTheirNpus) {
    const NetworkDescription ring =
        make_network({make_dimension(DimensionKind::Ring, 6, rate, Time::ns(500))});
    const NetworkDescription split = with_injection(ring, rate);
    const std::vector<std::uint32_t> parts = partition_graph(split.graph, 3);
    EXPECT_EQ(parts, (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2}));
}

// Random networks of every kind, links without latency among them: none of these is cut, where none
// is every part has NPUs as long as there are enough, and with one part nothing is cut.
TEST(Parts, CutNoLinkWithoutLatency) {
    std::mt19937_64 random(3);
    int without_latency = 0;
    for (int round = 0; round < 300; ++round) {
        const Graph graph = packet_test::random_network(
                                static_cast<unsigned>(round) % packet_test::network_kinds, random)
                                .graph;
        const auto count = static_cast<std::uint32_t>(1 + random() % 5);
        const std::vector<std::uint32_t> parts = partition_graph(graph, count);
        ASSERT_EQ(parts.size(), graph.nodes());
        bool all_have_latency = true;
        for (std::size_t i = 0; i < graph.links(); ++i) {
            const Link& link = graph.link(LinkId(i));
            if (link.latency == Time()) {
                all_have_latency = false;
                ASSERT_EQ(parts[link.from.index()], parts[link.to.index()]);
            }
        }
        without_latency += all_have_latency ? 0 : 1;
        for (std::uint32_t part = 0; part < count && all_have_latency && count <= graph.npus();
             ++part) {
            const auto last = parts.begin() + static_cast<std::ptrdiff_t>(graph.npus());
            ASSERT_NE(std::find(parts.begin(), last, part), last);
        }
        ASSERT_LT(*std::max_element(parts.begin(), parts.end()), count);
    }
    EXPECT_GT(without_latency, 50);
}

}  // namespace
}  // namespace npunet::topology::graph_partition_test

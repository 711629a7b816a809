// What can cross the borders of servers, leaves, pods and groups: by hand, and never less than the
// largest flow.

#include "topology/network/tier_cuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>

#include "tests/packet/random_networks.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology {
namespace {

constexpr std::int64_t giga = 1'000'000'000;

TierCuts cuts_in(const std::string& text, std::size_t tier) {
    const NetworkDescription network = parse_network(text, "network.yml");
    return cuts_of(network.graph, network.tiers.at(tier),
                   std::vector<bool>(network.dimensions.size(), true));
}

void expect_cuts(const TierCuts& cuts, const std::vector<std::int64_t>& gigabytes) {
    ASSERT_EQ(cuts.of_block.size(), gigabytes.size());
    for (std::size_t block = 0; block < gigabytes.size(); ++block) {
        SCOPED_TRACE(block);
        EXPECT_EQ(static_cast<std::int64_t>(cuts.of_block[block].out), gigabytes[block] * giga);
        EXPECT_EQ(static_cast<std::int64_t>(cuts.of_block[block].in), gigabytes[block] * giga);
    }
}

// A server's border is its links to the rails, whether a switch or a clique joins its NPUs.
TEST(TierCuts, OfServersAreTheirRails) {
    for (const char* kind : {"switch", "fully-connected"}) {
        expect_cuts(
            cuts_in(std::string("Rail: {servers: 3, npus_per_server: 4, scale_up: {kind: ") + kind +
                        ", bandwidth: 450, latency: 100}, scale_out: {levels: 2, radix: 8, "
                        "bandwidth: 50, latency: 500}}\n",
                    0),
            {200, 200, 200});
    }
    expect_cuts(cuts_in("topology: [Switch, Switch]\nnpus_count: [4, 3]\nbandwidth: [450, 50]\n"
                        "latency: [100, 500]\n",
                        0),
                {200, 200, 200});
}

// Leaves of four NPUs with two up-links; the last leaf has one NPU, less than its up-links. Pods of
// two leaves, each with up-links for two NPUs.
TEST(TierCuts, OfLeavesAndPodsAreTheLesserOfPortsAndUpLinks) {
    expect_cuts(cuts_in("FatTree: {levels: 2, radix: 6, npus: 9, oversubscription: 2, "
                        "bandwidth: 50, latency: 500}\n",
                        0),
                {100, 100, 50});
    const std::string three =
        "FatTree: {levels: 3, radix: 4, npus: 13, bandwidth: [50, 50, 20], latency: 500}\n";
    expect_cuts(cuts_in(three, 0), {100, 100, 100, 100, 100, 100, 50});
    expect_cuts(cuts_in(three, 1), {80, 80, 80, 50});
}

// Three routers with one global link each, of 10 GB/s.
TEST(TierCuts, OfGroupsAreTheirGlobalLinks) {
    const TierCuts cuts = cuts_in(
        "Dragonfly: {a: 3, p: 2, h: 1, groups: 4, bandwidth: [50, 50, 10], latency: 500}\n", 0);
    expect_cuts(cuts, {30, 30, 30, 30});
    EXPECT_EQ(cuts.block_of_node[24], 0);  // the first router
    EXPECT_EQ(cuts.block_of_node[35], 3);  // the last one
}

// In a group that lies in one dimension the others' links do not count.
TEST(TierCuts, CountTheWantedDimensions) {
    const NetworkDescription network = parse_network(
        "topology: [Ring, Ring, Ring]\nnpus_count: [2, 4, 4]\nbandwidth: [10, 20, 40]\n"
        "latency: [0, 0, 0]\n",
        "network.yml");
    const auto out = [&](const std::vector<bool>& dimensions) {
        return static_cast<std::int64_t>(
            cuts_of(network.graph, network.tiers[0], dimensions).of_block[5].out);
    };
    EXPECT_EQ(out({true, true, true}), 2 * 120 * giga);
    EXPECT_EQ(out({true, true, false}), 2 * 40 * giga);
    EXPECT_EQ(out({false, false, true}), 2 * 80 * giga);
}

/// The most that a block's NPUs can send to the others: augmenting paths of the fewest links
/// (Edmonds and Karp, 1972).
std::int64_t largest_flow(const Graph& graph, const Tier& tier, std::int32_t block) {
    std::vector<std::int64_t> sent(graph.links(), 0);
    std::int64_t flow = 0;
    for (;;) {
        constexpr std::int64_t unseen = -2;
        constexpr std::int64_t source = -1;
        std::vector<std::int64_t> by(graph.nodes(), unseen);  // 2 x link, and 1 if backwards
        std::deque<NodeId> queue;
        for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
            if (tier.block_of_npu[npu] == block) {
                by[npu] = source;
                queue.emplace_back(npu);
            }
        }
        NodeId end;
        while (!queue.empty() && !end.valid()) {
            const NodeId node = queue.front();
            queue.pop_front();
            if (node.index() < graph.npus() && tier.block_of_npu[node.index()] != block) {
                end = node;
                break;
            }
            for (const LinkId id : graph.links_from(node)) {
                const NodeId to = graph.link(id).to;
                if (by[to.index()] == unseen &&
                    sent[id.index()] < graph.link(id).rate.bytes_per_second()) {
                    by[to.index()] = 2 * id.value();
                    queue.push_back(to);
                }
            }
            for (const LinkId id : graph.links_to(node)) {
                const NodeId from = graph.link(id).from;
                if (by[from.index()] == unseen && sent[id.index()] > 0) {
                    by[from.index()] = 2 * id.value() + 1;
                    queue.push_back(from);
                }
            }
        }
        if (!end.valid()) {
            return flow;
        }
        const auto walk = [&](const auto& use) {
            for (NodeId node = end; by[node.index()] != source;) {
                const LinkId id(static_cast<std::int32_t>(by[node.index()] / 2));
                const bool back = by[node.index()] % 2 != 0;
                use(id, back);
                node = back ? graph.link(id).to : graph.link(id).from;
            }
        };
        std::int64_t most = INT64_MAX;
        walk([&](LinkId id, bool back) {
            most = std::min(most, back ? sent[id.index()]
                                       : graph.link(id).rate.bytes_per_second() - sent[id.index()]);
        });
        walk([&](LinkId id, bool back) { sent[id.index()] += back ? -most : most; });
        flow += most;
    }
}

// On the networks with tiers of their own as much gets out as the cut says, and the other blocks'
// cuts let in.
TEST(TierCuts, AreTheLargestFlow) {
    std::mt19937_64 random(33);
    for (unsigned i = 0; i < 200; ++i) {
        const std::string text = packet_test::random_network_text(i % 4, random);
        SCOPED_TRACE(text);
        const NetworkDescription network = parse_network(text, "network.yml");
        for (std::size_t t = 0; t + 1 < network.tiers.size(); ++t) {
            const TierCuts cuts = cuts_of(network.graph, network.tiers[t],
                                          std::vector<bool>(network.dimensions.size(), true));
            const std::size_t blocks = cuts.of_block.size();
            for (std::size_t block = 0; block < blocks; ++block) {
                std::int64_t others = 0;
                for (std::size_t other = 0; other < blocks; ++other) {
                    others +=
                        other == block ? 0 : static_cast<std::int64_t>(cuts.of_block[other].in);
                }
                const auto out = static_cast<std::int64_t>(cuts.of_block[block].out);
                ASSERT_EQ(std::min(out, others), largest_flow(network.graph, network.tiers[t],
                                                              static_cast<std::int32_t>(block)))
                    << "tier " << t << ", block " << block;
                ASSERT_EQ(cuts.of_block[block].in, cuts.of_block[block].out);
            }
        }
    }
}

// Whatever the blocks are, nothing more than a cut gets out.
TEST(TierCuts, AreNeverLessThanTheLargestFlow) {
    std::mt19937_64 random(34);
    for (unsigned i = 0; i < 200; ++i) {
        const std::string text = packet_test::random_network_text(i % 5, random);
        SCOPED_TRACE(text);
        const NetworkDescription network = parse_network(text, "network.yml");
        Tier tier{"drawn", {}};
        for (std::size_t npu = 0; npu < network.graph.npus(); ++npu) {
            tier.block_of_npu.push_back(static_cast<std::int32_t>(random() % 3));
        }
        const TierCuts cuts =
            cuts_of(network.graph, tier, std::vector<bool>(network.dimensions.size(), true));
        for (std::size_t block = 0; block < cuts.of_block.size(); ++block) {
            ASSERT_GE(static_cast<std::int64_t>(cuts.of_block[block].out),
                      largest_flow(network.graph, tier, static_cast<std::int32_t>(block)));
        }
    }
}

}  // namespace
}  // namespace npunet::topology

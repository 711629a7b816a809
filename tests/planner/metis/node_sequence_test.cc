// Types and bandwidths of ranks under a node sequence, against the definitions rank by rank.
#include "planner/metis/node_sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "made_cluster.h"

namespace npunet::planner::metis {
namespace {

TEST(TypeBlocks, TypesAndCounts) {
    TypeBlocks blocks;
    blocks.add(1, 3);
    blocks.add(0, 2);
    EXPECT_EQ(blocks.size(), 5);
    EXPECT_EQ(blocks.type_at(2), 1);
    EXPECT_EQ(blocks.type_at(3), 0);
    EXPECT_EQ(blocks.only_type(0, 3), 1);
    EXPECT_EQ(blocks.only_type(2, 4), -1);
    std::vector<std::pair<int, std::int64_t>> counts;
    blocks.for_each(1, 5, [&](int type, std::int64_t count) { counts.emplace_back(type, count); });
    EXPECT_EQ(counts, (std::vector<std::pair<int, std::int64_t>>{{1, 2}, {0, 2}}));
}

/// A100 nodes of different bandwidth, so that a type's first and slowest differ.
Inputs inputs_of_two_bandwidths() {
    Inputs inputs = made_inputs({{"A100", 4}, {"V100", 4}, {"A100", 4}, {"V100", 4}}, 4, 16, 4);
    inputs.cluster.push_back({"slow", "A100", 10, 20, 80});
    inputs.hosts[2].address = "slow";
    return inputs;
}

/// Of the nodes of the ranks: the first bandwidth of the type of one, the least of several.
double naive_bandwidth(const Cluster& cluster, const NodeSequence& sequence,
                       const std::vector<std::int64_t>& ranks) {
    std::set<std::int64_t> nodes;
    for (const std::int64_t rank : ranks) {
        nodes.insert(rank / cluster.slots());
    }
    const auto type_of = [&](std::int64_t node) {
        return cluster.types()[static_cast<std::size_t>(sequence.nodes().type_at(node))];
    };
    if (nodes.size() == 1) {
        return type_of(*nodes.begin()).first_bandwidth;
    }
    double least = 1e9;
    for (const std::int64_t node : nodes) {
        least = std::min(least, type_of(node).least_bandwidth);
    }
    return least;
}

void expect_naive_bandwidths(const Inputs& inputs, const std::vector<int>& order) {
    const Cluster cluster(inputs, made_arguments(4, 4, 16, 4));
    const NodeSequence sequence(cluster, order);
    for (std::int64_t size = 1; size <= 16; size *= 2) {
        for (std::int64_t first = 0; first + size <= 16; ++first) {
            std::vector<std::int64_t> all;
            for (std::int64_t rank = first; rank < first + size; ++rank) {
                all.push_back(rank);
            }
            EXPECT_EQ(sequence.bandwidth(first, first + size),
                      naive_bandwidth(cluster, sequence, all));
            for (std::int64_t dp = 1; dp <= size; dp *= 2) {
                double least = 1e9;
                for (std::int64_t group = 0; group < dp; ++group) {
                    std::vector<std::int64_t> ranks;
                    for (std::int64_t rank = group; rank < size; rank += dp) {
                        ranks.push_back(first + rank);
                    }
                    least = std::min(least, naive_bandwidth(cluster, sequence, ranks));
                }
                EXPECT_EQ(sequence.group_bandwidth(first, first + size, dp), least)
                    << first << " " << size << " " << dp;
            }
        }
    }
}

TEST(NodeSequence, BandwidthsRankByRank) {
    for (const std::vector<int>& order : {std::vector<int>{0, 1}, {1, 0}}) {
        expect_naive_bandwidths(inputs_of_two_bandwidths(), order);
        expect_naive_bandwidths(
            made_inputs({{"A100", 4}, {"V100", 4}, {"A100", 4}, {"V100", 4}}, 4, 16, 4), order);
    }
}

// The first and the slowest of a type's nodes in the hostfile; the memory of its first entry.
TEST(NodeSequence, TypesOfTheCluster) {
    const Cluster cluster(inputs_of_two_bandwidths(), made_arguments(4, 4, 16, 4));
    ASSERT_EQ(cluster.types().size(), 2U);
    EXPECT_EQ(cluster.types()[0].name, "A100");
    EXPECT_EQ(cluster.types()[0].first_bandwidth, 46);
    EXPECT_EQ(cluster.types()[0].least_bandwidth, 20);
    EXPECT_EQ(cluster.types()[0].memory_mib, 80 * 1024);
    EXPECT_EQ(cluster.devices(), 16);
    const NodeSequence sequence(cluster, {1, 0});
    EXPECT_EQ(sequence.memory(6, 9), 2 * 16 * 1024 + 80 * 1024);
}

// Ranks by the true sizes, and by the first node's.
TEST(NodeSequence, UnequalNodes) {
    const Cluster cluster(made_inputs({{"A100", 2}, {"V100", 4}, {"V100", 2}}, 4, 16, 4),
                          made_arguments(4, 4, 16, 4));
    const NodeSequence sequence(cluster, {0, 1});
    EXPECT_EQ(sequence.ranks().size(), 8);
    EXPECT_EQ(sequence.assumed_ranks().size(), 6);
    EXPECT_EQ(sequence.nodes().size(), 3);
}

}  // namespace
}  // namespace npunet::planner::metis

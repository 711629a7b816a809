// Full replicas against the definition, shard by shard.
#include "generators/megatron/groups/model_replicas.h"

#include <gtest/gtest.h>

#include <set>

#include "generators/megatron/groups/edge_colouring.h"
#include "generators/transformer/plan_names.h"
#include "parallel_groups_cases.h"

namespace npunet::generators::megatron {
namespace {

struct Shards {
    std::set<Coordinates> dense;
    std::set<Coordinates> experts;
};

Shards shards_of(const Parallelism& p, const std::vector<Rank>& ranks) {
    const std::vector<Coordinates> dense = dense_coordinates(p);
    const std::vector<Coordinates> experts = expert_coordinates(p);
    Shards shards;
    for (const Rank rank : ranks) {
        const Coordinates& d = dense[rank.index()];
        const Coordinates& e = experts[rank.index()];
        shards.dense.insert({d[0], d[1], 0, 0, d[4]});    // t, c, p
        shards.experts.insert({e[0], 0, e[2], 0, e[4]});  // et, e, p
    }
    return shards;
}

bool whole(const Parallelism& p, const std::vector<Rank>& ranks) {
    const Shards shards = shards_of(p, ranks);
    return static_cast<std::int64_t>(shards.dense.size()) == p.tp * p.cp * p.pp &&
           static_cast<std::int64_t>(shards.experts.size()) == p.expert_tensor() * p.ep * p.pp;
}

// Each replica holds all tp cp pp dense parts and all etp ep pp shards of experts; the replicas
// divide the world; there are min(dp, edp) of them (no more are possible: there are no more copies)
// and all have pp max(tp cp, etp ep) ranks; whole pipelines.
TEST(FullReplicas, HoldEveryShardInEveryOrder) {
    std::set<RankOrder> orders;
    for_random_plans(2000, [&](const Parallelism& p) {
        SCOPED_TRACE(testing::Message()
                     << "tp " << p.tp << " cp " << p.cp << " dp " << p.dp << " pp " << p.pp
                     << " ep " << p.ep << " etp " << p.etp << ' ' << rank_order_name(p.rank_order));
        orders.insert(p.rank_order);
        const ProcessGroups groups(p);
        const RankLists replicas = full_replicas(groups);
        const std::int64_t edp = p.world() / (p.expert_tensor() * p.ep * p.pp);
        ASSERT_EQ(static_cast<std::int64_t>(replicas.size()), std::min(p.dp, edp));
        std::set<Rank> all;
        for (const std::vector<Rank>& replica : replicas) {
            EXPECT_EQ(static_cast<std::int64_t>(replica.size()),
                      p.pp * std::max(p.tp * p.cp, p.expert_tensor() * p.ep));
            EXPECT_TRUE(std::is_sorted(replica.begin(), replica.end()));
            EXPECT_TRUE(whole(p, replica));
            all.insert(replica.begin(), replica.end());
            for (const Rank rank : replica) {
                const std::vector<Rank>& pipeline = groups.of(GroupRole::Pipeline, rank);
                EXPECT_TRUE(std::includes(replica.begin(), replica.end(), pipeline.begin(),
                                          pipeline.end()));
            }
        }
        EXPECT_EQ(static_cast<std::int64_t>(all.size()), p.world());
        EXPECT_TRUE(std::is_sorted(replicas.begin(), replicas.end()));
        EXPECT_EQ(replicas, full_replicas(groups));
    });
    EXPECT_EQ(orders.size(), 120U);
}

// Where the original's lists in its one order hold every shard, ours are the same.
TEST(FullReplicas, AgreeWithTheOriginalWhereItIsRight) {
    int right = 0;
    int wrong = 0;
    for_random_plans(4000, [&](const Parallelism& drawn) {
        Parallelism p = drawn;
        p.rank_order = Parallelism{}.rank_order;
        try {
            check_parallelism(p);
        } catch (const InputError&) {
            return;
        }
        const RankLists theirs = traceviz_replicas(p);
        if (std::all_of(theirs.begin(), theirs.end(),
                        [&](const auto& replica) { return whole(p, replica); })) {
            ++right;
            EXPECT_EQ(full_replicas(ProcessGroups(p)), theirs);
        } else {
            ++wrong;
            EXPECT_NE(full_replicas(ProcessGroups(p)), theirs);
        }
    });
    EXPECT_GT(right, 1000);
    EXPECT_GT(wrong, 100);
}

// Four dense parts and four shards of experts a stage, two copies of each, but in this order the
// ranks of one dp have one ep, and those of one edp have one cp: neither is a whole model. The
// diagonals (cp + dp even, or odd) are.
TEST(FullReplicas, CanTakeDiagonals) {
    Parallelism p = sizes(2, 2, 2, 1, 2);
    p.rank_order = rank_order_named("tp-ep-dp-cp-pp", "test");
    const ProcessGroups groups(p);
    const std::vector<int> even = {0, 1, 6, 7};
    const RankLists replicas = full_replicas(groups);
    ASSERT_EQ(replicas.size(), 2U);
    for (std::size_t i = 0; i < even.size(); ++i) {
        EXPECT_EQ(replicas[0][i].value(), even[i]);
    }
    EXPECT_FALSE(whole(p, traceviz_replicas(p)[0]));
}

// Each colour at each vertex at least floor(degree / colours) times, for random multigraphs, also
// with fewer edges at a vertex than colours and with parallel edges.
TEST(EquitableColours, AreBalancedAtEveryVertex) {
    std::mt19937 random(3);
    for (int trial = 0; trial < 300; ++trial) {
        const auto colours = static_cast<std::int32_t>(1 + random() % 7);
        const std::uint32_t vertices = 1 + static_cast<std::uint32_t>(random() % 9);
        std::vector<BipartiteEdge> edges(random() % 120);
        for (BipartiteEdge& edge : edges) {
            edge = {static_cast<std::int32_t>(random() % vertices),
                    static_cast<std::int32_t>(random() % 5)};
        }
        const std::vector<std::int32_t> colour = equitable_colours(edges, colours);
        ASSERT_EQ(colour.size(), edges.size());
        for (const bool left : {true, false}) {
            std::map<std::int32_t, std::map<std::int32_t, std::int64_t>> uses;
            std::map<std::int32_t, std::int64_t> degree;
            for (std::size_t i = 0; i < edges.size(); ++i) {
                const std::int32_t vertex = left ? edges[i].left : edges[i].right;
                ASSERT_GE(colour[i], 0);
                ASSERT_LT(colour[i], colours);
                ++uses[vertex][colour[i]];
                ++degree[vertex];
            }
            for (const auto& [vertex, edges_there] : degree) {
                for (std::int32_t c = 0; c < colours; ++c) {
                    EXPECT_GE(uses[vertex][c], edges_there / colours);
                    EXPECT_LE(uses[vertex][c], (edges_there + colours - 1) / colours);
                }
            }
        }
    }
}

}  // namespace
}  // namespace npunet::generators::megatron

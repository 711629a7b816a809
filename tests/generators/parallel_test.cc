// Rank orders, groups and context parallelism, on random plans.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "generators/transformer/operation_costs.h"
#include "generators/transformer/rank_grid.h"
#include "generators/transformer/training_step.h"
#include "tests/generators/element_bytes.h"
#include "tests/generators/parallel_plans.h"
#include "tests/generators/rendezvous.h"
#include "tests/generators/steps.h"

namespace npunet::generators {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Ranks that share all coordinates but the wanted ones, by counting ranks like an odometer.
std::set<std::vector<std::int32_t>> groups_of(const RankOrder& order,
                                              std::map<GridAxis, std::int64_t> sizes,
                                              const std::set<GridAxis>& wanted) {
    std::int64_t world = 1;
    for (const auto& [axis, size] : sizes) {
        world *= size;
    }
    std::map<GridAxis, std::int64_t> at;
    std::map<std::map<GridAxis, std::int64_t>, std::vector<std::int32_t>> members;
    for (std::int32_t rank = 0; rank < world; ++rank) {
        std::map<GridAxis, std::int64_t> key = at;
        for (const GridAxis axis : order) {
            key[axis] = wanted.count(axis) != 0 ? 0 : at[axis];
        }
        members[key].push_back(rank);
        for (const GridAxis axis : order) {
            if (++at[axis] < sizes[axis]) {
                break;
            }
            at[axis] = 0;
        }
    }
    std::set<std::vector<std::int32_t>> groups;
    for (const auto& [key, ranks] : members) {
        if (ranks.size() > 1) {
            groups.insert(ranks);
        }
    }
    return groups;
}

std::set<std::vector<std::int32_t>> groups_of(const GeneratedWorkload& workload,
                                              const std::string& kind) {
    std::set<std::vector<std::int32_t>> groups;
    for (const RankGroup& group : workload.groups()) {
        if (group.kind == kind) {
            std::vector<std::int32_t> ranks;
            for (const Rank rank : group.ranks) {
                ranks.push_back(rank.value());
            }
            groups.insert(ranks);
        }
    }
    return groups;
}

// Megatron-LM: the decoder's grid is tp, cp, dp, pp and that of the experts etp, ep,
// edp = W / (etp ep pp), pp, both in the given order, the leftmost fastest.
TEST(RankOrder, GroupsOfBothGridsInAnyOrder) {
    using Axis = GridAxis;
    const ModelSpec model = small_moe();
    std::size_t unusual = 0;
    for (const Plan& plan : random_plans(model, 60, 1)) {
        const GeneratedWorkload workload = generate(model, plan);
        const std::map<Axis, std::int64_t> decoder{{Axis::Tensor, plan.tp},
                                                   {Axis::Context, plan.cp},
                                                   {Axis::Expert, 1},
                                                   {Axis::Data, plan.dp},
                                                   {Axis::Pipeline, plan.pp}};
        const std::map<Axis, std::int64_t> experts{
            {Axis::Tensor, plan.etp},
            {Axis::Context, 1},
            {Axis::Expert, plan.ep},
            {Axis::Data, plan.world() / (plan.etp * plan.ep * plan.pp)},
            {Axis::Pipeline, plan.pp}};
        const RankOrder& order = plan.rank_order;
        SCOPED_TRACE(full_description(plan));
        EXPECT_EQ(groups_of(workload, "tensor"), groups_of(order, decoder, {Axis::Tensor}));
        EXPECT_EQ(groups_of(workload, "context"), groups_of(order, decoder, {Axis::Context}));
        EXPECT_EQ(groups_of(workload, "gradient"),
                  groups_of(order, decoder, {Axis::Context, Axis::Data}));
        EXPECT_EQ(groups_of(workload, "expert"), groups_of(order, experts, {Axis::Expert}));
        EXPECT_EQ(groups_of(workload, "expert-tensor"), groups_of(order, experts, {Axis::Tensor}));
        EXPECT_EQ(groups_of(workload, "expert-gradient"), groups_of(order, experts, {Axis::Data}));
        // Both grids have the same pipelines.
        EXPECT_EQ(groups_of(order, decoder, {Axis::Pipeline}),
                  groups_of(order, experts, {Axis::Pipeline}));
        unusual += plan.rank_order.back() != Axis::Pipeline && plan.pp > 1 ? 1 : 0;
    }
    EXPECT_GT(unusual, 0U);
}

TEST(RankOrder, IsAPermutation) {
    EXPECT_EQ(rank_order_name(rank_order_named("pp-dp-tp-ep-cp", "here")), "pp-dp-tp-ep-cp");
    const RankOrder order = rank_order_named("cp-tp-pp-ep-dp", "here");
    EXPECT_EQ(rank_order_of(rank_order_number(order)), order);
    for (const char* wrong : {"", "tp", "tp-cp-dp-pp", "tp-cp-ep-dp-dp", "tp-cp-ep-dp-pp-tp",
                              "tp-cp-ep-dp-xx", "tp cp ep dp pp"}) {
        EXPECT_THROW(static_cast<void>(rank_order_named(wrong, "here")), InputError) << wrong;
    }
}

TEST(ParallelPlan, NamesTheNumbersThatClash) {
    Plan plan;
    plan.ep = 2;
    EXPECT_THAT(error_of(small_model(), plan),
                AllOf(HasSubstr("--ep: found 2"), HasSubstr("experts")));
    plan.dp = 4;
    plan.ep = 3;
    EXPECT_THAT(error_of(small_moe(), plan),
                AllOf(HasSubstr("--ep: found 3"), HasSubstr("8 experts")));
    plan.ep = 8;
    EXPECT_THAT(error_of(small_moe(), plan),
                AllOf(HasSubstr("found 1 x 8 = 8"), HasSubstr("4 ranks of a stage")));
    plan.ep = 1;
    plan.etp = 3;
    EXPECT_THAT(error_of(small_moe(), plan),
                AllOf(HasSubstr("--etp: found 3"), HasSubstr("32 channels")));
    plan = Plan();
    plan.cp = 2;
    plan.sequence = 30;
    EXPECT_THAT(error_of(small_model(), plan),
                AllOf(HasSubstr("30 tokens"), HasSubstr("2 cp = 4")));
    plan.context_comm = ContextComm::AllGather;
    EXPECT_EQ(error_of(small_model(), plan), "no error");
    plan.context_comm = ContextComm::AllToAll;
    plan.sequence = 32;
    plan.cp = 16;
    EXPECT_THAT(error_of(small_model(), plan),
                AllOf(HasSubstr("--cp with --cp-comm a2a: found 16"), HasSubstr("8 heads")));
    plan = Plan();
    plan.zero = 4;
    EXPECT_THAT(error_of(small_model(), plan), HasSubstr("--zero"));
    plan.zero = 0;
    plan.overlap_param_gather = true;
    EXPECT_THAT(error_of(small_model(), plan), HasSubstr("--overlap-param-gather"));
    plan.zero = 1;
    EXPECT_EQ(error_of(small_model(), plan), "no error");
}

// Megatron-LM: with pp before the end of the order the copies of an expert must be dp, and the
// pipelines of both grids the same ranks.
TEST(ParallelPlan, RefusesGridsWithDifferentPipelines) {
    Plan plan;
    plan.dp = 2;
    plan.cp = 2;
    plan.pp = 2;
    plan.rank_order = rank_order_named("tp-cp-ep-pp-dp", "here");
    EXPECT_THAT(error_of(small_moe(), plan),
                AllOf(HasSubstr("--dp 2"), HasSubstr("4 copies of an expert")));
    plan.ep = 2;
    EXPECT_EQ(error_of(small_moe(), plan), "no error");
    plan.rank_order = rank_order_named("cp-pp-tp-ep-dp", "here");
    EXPECT_THAT(error_of(small_moe(), plan), HasSubstr("2 ranks apart"));
    EXPECT_EQ(error_of(small_model(),
                       [&] {
                           Plan dense = plan;
                           dense.ep = 1;
                           return dense;
                       }()),
              "no error");
}

bool in_ring(const Node& node) {
    return contains(node.name, "_ring");
}

// Ring: cp - 1 hops of keys and values forward, and of both and their gradients backward, 2 n k e
// each. All-gather: 2 n k e own part and cp times that back. All-to-all: n (w + 2 k) e before and
// n w e after, in both directions; here no rank has fewer key heads than cp.
TEST(ContextParallel, BytesOfEveryForm) {
    ModelSpec model = small_model();
    model.kv_heads = 4;
    for (const ContextComm comm :
         {ContextComm::PointToPoint, ContextComm::AllGather, ContextComm::AllToAll}) {
        Plan plan;
        plan.cp = 2;
        plan.tp = 2;
        plan.dp = 2;
        plan.pp = 2;
        plan.micro_batch = 2;
        plan.batch = 12;
        plan.context_comm = comm;
        plan = resolve_plan(model, plan);
        const GeneratedWorkload workload = generate(model, plan);
        const WideCount passes = WideCount{plan.world()} * 2 * plan.micro_batches();
        const std::int64_t tokens = 2 * 16;
        const std::int64_t keys = 2 * tokens * 32 * bf16;
        const std::int64_t queries = tokens * 64 * bf16;
        const bool ring = comm == ContextComm::PointToPoint;
        EXPECT_TRUE(sum(workload, "comm_size", [](const Node& n) {
                        return n.type == NodeType::CommSend && in_ring(n);
                    }) == (ring ? passes * 3 * keys : 0));
        const auto bytes = [&workload](CollectiveType type) {
            return sum(workload, "comm_size", [type](const Node& n) {
                return is_collective(n, type) && contains(n.name, "attention");
            });
        };
        const bool gather = comm == ContextComm::AllGather;
        EXPECT_TRUE(bytes(CollectiveType::AllGather) == (gather ? passes * keys : 0));
        EXPECT_TRUE(bytes(CollectiveType::ReduceScatter) == (gather ? passes * 2 * keys : 0));
        EXPECT_TRUE(bytes(CollectiveType::AllToAll) ==
                    (comm == ContextComm::AllToAll ? passes * 2 * (keys + 2 * queries) : 0));
    }
}

// Latent attention: of n tokens a rank's 4 heads have keys of 12 + 8 channels and values of 10,
// expanded before they travel: n 4 (20 + 10) e in the place of 2 n k e; queries n 4 20 e, results
// n 4 10 e. The low-rank vectors stay at home but for tp's gather.
TEST(ContextParallel, LatentAttentionExchangesExpandedKeysAndValues) {
    ModelSpec model = small_model();
    model.kv_heads = model.heads;
    model.head_dim = 20;
    model.mla = {24, 16, 12, 8, 10};
    for (const ContextComm comm :
         {ContextComm::PointToPoint, ContextComm::AllGather, ContextComm::AllToAll}) {
        for (const std::int64_t cp : {2, 4}) {
            Plan plan;
            plan.cp = cp;
            plan.tp = 2;
            plan.dp = 2;
            plan.micro_batch = 2;
            plan.batch = 12;
            plan.context_comm = comm;
            plan = resolve_plan(model, plan);
            const GeneratedWorkload workload = generate(model, plan);
            const WideCount passes = WideCount{plan.world()} * model.layers * plan.micro_batches();
            const std::int64_t tokens = 2 * 32 / cp;
            const std::int64_t keys_and_values = tokens * 4 * (20 + 10) * bf16;
            const std::int64_t queries_and_results = tokens * 4 * (20 + 10) * bf16;
            const bool ring = comm == ContextComm::PointToPoint;
            EXPECT_TRUE(sum(workload, "comm_size", [](const Node& n) {
                            return n.type == NodeType::CommSend && in_ring(n);
                        }) == (ring ? passes * 3 * (cp - 1) * keys_and_values : 0));
            const auto bytes = [&workload](CollectiveType type, bool latent) {
                return sum(workload, "comm_size", [=](const Node& n) {
                    return is_collective(n, type) && contains(n.name, "attention") &&
                           contains(n.name, "latent") == latent;
                });
            };
            const bool gather = comm == ContextComm::AllGather;
            EXPECT_TRUE(bytes(CollectiveType::AllGather, false) ==
                        (gather ? passes * keys_and_values : 0));
            EXPECT_TRUE(bytes(CollectiveType::ReduceScatter, false) ==
                        (gather ? passes * cp * keys_and_values : 0));
            EXPECT_TRUE(bytes(CollectiveType::AllToAll, false) ==
                        (comm == ContextComm::AllToAll
                             ? passes * 2 * (keys_and_values + queries_and_results)
                             : 0));
            EXPECT_TRUE(bytes(CollectiveType::AllGather, true) ==
                        passes * tokens * (24 + 16 + 8) / 2 * bf16);
            EXPECT_EQ(unfinished_after_rendezvous(workload), 0);
        }
    }
}

// Forward step j works on what the j-th hop brought while the next hop is under way.
TEST(ContextParallel, RingOverlapsAttention) {
    Plan plan;
    plan.cp = 4;
    const GeneratedWorkload workload = generate(small_model(), plan);
    std::map<std::string, Node> nodes;
    for (const Node& node : workload.nodes(Rank(1))) {
        nodes[node.name] = node;
    }
    const auto waits = [&nodes](const std::string& name, const std::string& other) {
        const std::vector<std::uint64_t>& deps = nodes.at("mb0_layer2_" + name).data_deps;
        return std::find(deps.begin(), deps.end(), nodes.at("mb0_layer2_" + other).id) !=
               deps.end();
    };
    EXPECT_TRUE(waits("ring1_attention_scores_forward", "ring0_attention_kv_receive_forward"));
    EXPECT_TRUE(waits("ring1_attention_kv_send_forward", "ring0_attention_kv_receive_forward"));
    EXPECT_FALSE(waits("ring1_attention_scores_forward", "ring1_attention_kv_receive_forward"));
    EXPECT_EQ(nodes.count("mb0_layer2_ring3_attention_kv_send_forward"), 0U);
    EXPECT_EQ(nodes.count("mb0_layer2_ring0_attention_dkv_send_backward"), 0U);
    EXPECT_EQ(nodes.count("mb0_layer2_ring3_attention_dkv_send_backward"), 1U);
    EXPECT_EQ(nodes.count("mb0_layer2_ring3_attention_kv_send_backward"), 0U);
    EXPECT_TRUE(waits("ring3_attention_dkv_send_backward", "ring2_attention_scores_backward"));
    EXPECT_EQ(nodes.at("mb0_layer2_ring0_attention_kv_send_forward").integer("comm_dst"), 2);
    EXPECT_EQ(nodes.at("mb0_layer2_ring0_attention_kv_send_backward").integer("comm_dst"), 0);
}

// However a sequence is split, the multiplications stay the same.
TEST(ContextParallel, FlopsDoNotDependOnTheForm) {
    const ModelSpec model = small_model();
    for (const Plan& plan : random_plans(model, 40, 2)) {
        const WideCount flops =
            WideCount{6} * multiplying_weights(model) * plan.tokens() + core_flops(model, plan);
        EXPECT_TRUE(sum(generate(model, plan), "num_ops",
                        [](const Node& n) {
                            return n.type == NodeType::Compute && is_multiplication(n.name);
                        }) == flops)
            << full_description(plan);
    }
}

// Even where messages need their receive and collectives all members, every plan completes.
TEST(Rendezvous, RandomParallelPlansRunToTheirEnd) {
    for (const ModelSpec& model : {small_model(), small_gpt(), small_moe(), skewed_moe(1.25)}) {
        for (const Plan& plan : random_plans(model, 40, 4)) {
            EXPECT_EQ(unfinished_after_rendezvous(generate(model, plan)), 0)
                << model.name << " " << full_description(plan);
        }
    }
}

}  // namespace
}  // namespace npunet::generators

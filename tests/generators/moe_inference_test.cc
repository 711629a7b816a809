// Inference with experts: tokens, FLOPs, bytes and memory in closed form.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "generators/transformer/memory_estimate.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/rank_grid.h"
#include "generators/transformer/training_step.h"
#include "tests/generators/element_bytes.h"
#include "tests/generators/parallel_plans.h"
#include "tests/generators/rendezvous.h"
#include "tests/support/counted_cases.h"

namespace npunet::generators {
namespace {

using chakra::Node;
using chakra::NodeType;

constexpr std::int64_t cached = 48;  ///< tokens in the cache of a decode step

ModelSpec latent_moe() {
    ModelSpec model = small_moe();
    model.name = "latent-moe";
    model.kv_heads = model.heads;
    model.head_dim = 20;
    model.mla = {24, 16, 12, 8, 10};
    return model;
}

/// Random plans of training, turned into inference.
std::vector<Plan> inference_plans(const ModelSpec& model, Mode mode, std::uint32_t seed,
                                  std::size_t drawn = 60) {
    std::vector<Plan> plans;
    for (Plan plan : random_plans(model, drawn, seed)) {
        plan.mode = mode;
        plan.cp = 1;
        plan.zero = 0;
        plan.schedule = Schedule::OneForwardOneBackward;
        plan.overlap_param_gather = false;
        plan.overlap_grad_reduce = false;
        plan.micro_batch *= 4;
        plan.batch = plan.dp * plan.micro_batch * 3;
        if (mode == Mode::Decode) {
            plan.sequence = 0;
            plan.context = cached;
        }
        if (error_of(model, plan) == "no error") {
            plans.push_back(resolve_plan(model, plan));
        }
    }
    EXPECT_GT(plans.size(), drawn / 2);
    return plans;
}

// 2 P T: 2 (P - V h) T + 2 V h B + L s a (d_qk + d_v) T for a prompt with causal mask; 2 P B + 2 L
// N a (d_qk + d_v) B for one new token of each of B sequences, with latent attention 2 L N a (2 kv
// + r) B. P are the active weights: k experts per token, the shared ones, the router.
TEST(MoeInference, FlopsAreThoseOfTheActiveWeights) {
    for (const ModelSpec& model : {small_moe(), skewed_moe(), latent_moe()}) {
        const WideCount head = WideCount{model.vocab} * model.hidden;
        const WideCount h = model.hidden;
        WideCount weights =
            head + h * 3 * model.ffn + 3 * (3 * h * model.moe.ffn * (2 + 2) + h * 8);
        weights += model.latent()
                       ? 4 * (h * (24 + 16 + 8) + 24 * 8 * 20 + 16 * 8 * (12 + 10) + 8 * 10 * h)
                       : 4 * (h * model.qkv_width() + model.query_width() * h);
        const WideCount channels = model.latent() ? 20 + 10 : 2 * 16;
        const WideCount absorbed = model.latent() ? 2 * 16 + 8 : 2 * 16;
        for (const Plan& plan : inference_plans(model, Mode::Prefill, 41)) {
            EXPECT_TRUE(sum(generate(model, plan), "num_ops", multiplies) ==
                        2 * (weights - head) * plan.tokens() + 2 * head * plan.batch +
                            4 * 8 * channels * plan.sequence * plan.tokens())
                << model.name << " " << full_description(plan);
        }
        for (const Plan& plan : inference_plans(model, Mode::Decode, 42)) {
            EXPECT_TRUE(sum(generate(model, plan), "num_ops", multiplies) ==
                        2 * weights * plan.batch + 2 * 4 * 8 * absorbed * cached * plan.batch)
                << model.name << " " << full_description(plan);
        }
    }
}

// Each token is routed once, by one rank: T = b s / tp of a rank's micro-batch, in decode b / tp,
// so that a step routes B tokens, one of each sequence, in each of 3 layers. Copies go out and come
// back once: T k h e bytes each, 4 bytes a probability; within etp they are gathered, and their
// sums scattered.
TEST(MoeInference, BytesAreTheClosedForm) {
    const std::size_t drawn = test::random_cases(20, 200);  // for each model and mode
    std::size_t compared = 0;
    for (const ModelSpec& model : {small_moe(), skewed_moe(), latent_moe()}) {
        for (const Mode mode : {Mode::Prefill, Mode::Decode}) {
            for (const Plan& plan : inference_plans(model, mode, 43, drawn)) {
                ++compared;
                SCOPED_TRACE(model.name + " " + full_description(plan));
                const GeneratedWorkload workload = generate(model, plan);
                const auto bytes = [&workload](const char* part) {
                    return sum(workload, "comm_size", [=](const Node& n) {
                        return n.type == NodeType::CommCollective && contains(n.name, part);
                    });
                };
                const WideCount routed =
                    WideCount{3} * plan.batch * (mode == Mode::Decode ? 1 : plan.sequence);
                EXPECT_TRUE(routed == 3 * plan.tokens());
                EXPECT_TRUE(sum(workload, "num_ops", [](const Node& n) {
                                return contains(n.name, "moe_router_forward");
                            }) == 2 * routed * model.hidden * 8);
                const std::int64_t each = model.hidden * bf16;
                const WideCount out = plan.ep > 1 ? 2 * routed : 0;
                EXPECT_TRUE(bytes("moe_dispatch_all_to_all_forward") == out * each);
                EXPECT_TRUE(bytes("moe_combine_all_to_all_forward") == out * each);
                EXPECT_TRUE(bytes("moe_probabilities_all_to_all_forward") == out * 4);
                // Unequal parts go to each of the others; an all-gather counts the own part alone,
                // a reduce-scatter those of all.
                const std::int64_t sequence = mode == Mode::Decode ? 1 : plan.sequence;
                const bool skewed = model.moe.routing.kind != Routing::Kind::Uniform ||
                                    plan.micro_batch * sequence / plan.tp * 2 % plan.ep != 0;
                const WideCount shared = plan.etp > 1 ? 2 * routed : 0;
                const WideCount others = plan.etp - 1;
                EXPECT_TRUE(bytes("moe_tokens_all_gather_forward") ==
                            shared * each * (skewed ? others : 1));
                EXPECT_TRUE(bytes("moe_probabilities_all_gather_forward") ==
                            shared * 4 * (skewed ? others : 1));
                EXPECT_TRUE(bytes("moe_tokens_reduce_scatter_forward") ==
                            shared * each * (skewed ? others : plan.etp));
                EXPECT_TRUE(bytes("moe_output_all_gather_forward") ==
                            (plan.tp > 1 && !plan.sequence_parallel ? routed * each : 0));
                const WideCount counting =
                    WideCount{plan.world() / plan.pp} * 3 * plan.micro_batches() * 8 * 8;
                EXPECT_TRUE(bytes("moe_counts_all_gather_forward") ==
                            (plan.ep * plan.etp > 1 ? counting : 0));
                EXPECT_TRUE(bytes("backward") == 0);
                EXPECT_EQ(unfinished_after_rendezvous(workload), 0);
            }
        }
    }
    test::count_cases(compared);
}

// Experts belong to the groups of training.
TEST(MoeInference, HasTheGroupsOfTraining) {
    const ModelSpec model = small_moe();
    for (const Plan& plan : inference_plans(model, Mode::Decode, 44)) {
        Plan trained = plan;
        trained.mode = Mode::Train;
        trained.sequence = 32;
        trained.context = 0;
        const auto groups = [&model](const Plan& of) {
            std::vector<std::pair<std::string, std::vector<Rank>>> list;
            for (const RankGroup& group : RankGrid(model, of).groups()) {
                if (group.kind.rfind("expert", 0) == 0) {
                    list.emplace_back(group.kind, group.ranks);
                }
            }
            return list;
        };
        EXPECT_EQ(groups(plan), groups(resolve_plan(model, trained)));
    }
}

// Each rank holds 8 / ep experts, 1 / etp of each, 3 h f weights of 2 bytes, and no gradients or
// states. dp 4, tp 2, ep 4, etp 1 and 2: 2 experts, whole or halved.
TEST(MoeInference, HoldsTheWeightsOfItsExperts) {
    const ModelSpec model = small_moe();
    for (const std::int64_t etp : {1, 2}) {
        Plan plan;
        plan.dp = 4;
        plan.tp = 2;
        plan.ep = 4;
        plan.etp = etp;
        plan.micro_batch = 4;
        plan.mode = Mode::Decode;
        plan.context = cached;
        plan = resolve_plan(model, plan);
        const std::int64_t experts = 3 * 2 * 3 * 64 * 32 / etp;
        const std::int64_t attention = 4 * ((64 * model.qkv_width() + 128 * 64) / 2 + 2 * 64);
        const std::int64_t others =
            3 * 64 * 96 / 2 + 3 * (3 * 64 * 64 / 2 + 64 * 8) + 2 * 160 * 64 / 2 + 64;
        const StageMemory memory = memory_of_stages(model, plan).front();
        EXPECT_EQ(memory.fixed.total(), 2 * (experts + attention + others));
        // 4 sequences of a replica, keys and values of 2 heads of 16 channels in 4 layers.
        EXPECT_EQ(memory.cache, 4 * 4 * cached * 2 * 2 * 16 * 2);
    }
}

// A micro-batch of a decode step has as many tokens as sequences, and each tp rank routes its part.
TEST(MoeInference, NeedsATokenForEachRank) {
    Plan plan;
    plan.tp = 4;
    plan.mode = Mode::Decode;
    EXPECT_TRUE(contains(error_of(small_moe(), plan), "larger --micro-batch"));
    plan.micro_batch = 4;
    EXPECT_EQ(error_of(small_moe(), plan), "no error");
}

}  // namespace
}  // namespace npunet::generators

// FLOPs of the variants of attention, of recomputation and of inference.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "generators/transformer/model_library.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/training_step.h"
#include "tests/generators/steps.h"
#include "tests/support/counted_cases.h"

namespace npunet::generators::attention_flops_test {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;

/// d_qk + d_v.
std::int64_t core_channels(const ModelSpec& model) {
    return model.head_dim + (model.latent() ? model.mla.v_head_dim : model.head_dim);
}

/// L a (d_qk + d_v) s T, one multiply-add each: every query of every head times every key, and
/// every probability times every value.
WideCount core_products(const ModelSpec& model, std::int64_t keys, std::int64_t tokens) {
    return WideCount{model.layers} * model.heads * core_channels(model) * keys * tokens;
}

Plan random_plan(std::mt19937_64& random, const ModelSpec& model) {
    const auto pick = [&random](std::initializer_list<std::int64_t> values) {
        return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size()));
    };
    Plan plan;
    plan.dp = pick({1, 2});
    plan.tp = pick({1, 2, 4, 8});
    plan.cp = pick({1, 2});
    plan.pp = pick({1, 2, 4});
    plan.micro_batch = pick({1, 2, 3});
    plan.sequence_parallel = pick({0, 1}) == 1;
    plan.batch = plan.dp * plan.micro_batch * pick({1, 2, 5});
    plan.sequence = pick({16, 32});
    plan.schedule = pick({0, 1}) == 1 ? Schedule::GPipe : Schedule::OneForwardOneBackward;
    return resolve_plan(model, plan);
}

// 6 P T plus core_flops(); full recomputation adds the forward pass of the layers, 2 (P - V h) T,
// and either recomputation the core's.
TEST(AttentionFlops, SumToTheIdentityWithRecomputationAndMask) {
    const std::uint64_t plans = test::random_cases(3, 400);  // of each model
    std::mt19937_64 random(1);
    for (const ModelSpec& model : {small_model(), small_gpt(), small_latent(), small_latent(0)}) {
        for (std::uint64_t trial = 0; trial < plans; ++trial) {
            Plan plan = random_plan(random, model);
            for (const Recompute recompute :
                 {Recompute::None, Recompute::Selective, Recompute::Full}) {
                for (int words = 0; words < 8; ++words) {
                    plan.recompute = recompute;
                    plan.causal_flops = words % 2 == 0 ? CausalFlops::Full : CausalFlops::Half;
                    plan.attention_kernel =
                        words / 2 % 2 == 0 ? AttentionKernel::Fused : AttentionKernel::Unfused;
                    plan.attention_backward =
                        words < 4 ? AttentionBackward::Kernel : AttentionBackward::Model;
                    const WideCount weights = multiplying_weights(model);
                    const WideCount head = WideCount{model.vocab} * model.hidden;
                    WideCount expected = 6 * weights * plan.tokens() + core_flops(model, plan);
                    if (recompute == Recompute::Full) {
                        expected += 2 * (weights - head) * plan.tokens();
                    }
                    ASSERT_TRUE(sum(generate(model, plan), "num_ops", multiplies) == expected)
                        << model.name << " " << describe(plan);
                }
            }
        }
    }
}

// The defaults follow the kernels: a fused one skips masked scores and has five products in its
// backward pass to two in the forward pass (a factor of 2.5 for heads of equal width); an unfused
// one computes all scores and has four. The model's own FLOPs are 6 L s a (d_qk + d_v) T. Selective
// recomputation repeats the forward pass, regardless of what the kernel recomputes itself.
TEST(AttentionFlops, AreThoseOfTheKernelByDefault) {
    const auto core = [](Plan plan, bool forward) {
        plan.batch = 2;
        return sum(generate(small_model(), plan), "num_ops", [&](const Node& node) {
            return multiplies(node) && contains(node.name, "attention_") &&
                   (contains(node.name, "scores") || contains(node.name, "context")) &&
                   contains(node.name, "_forward") == forward;
        });
    };
    Plan full;
    full.causal_flops = CausalFlops::Full;
    full.attention_backward = AttentionBackward::Model;
    Plan unfused;
    unfused.attention_kernel = AttentionKernel::Unfused;
    Plan selective;
    selective.recompute = Recompute::Selective;
    const WideCount all = core(full, true);
    EXPECT_TRUE(core(full, false) == 2 * all);
    EXPECT_TRUE(core(Plan{}, true) == all / 2);
    EXPECT_TRUE(core(Plan{}, false) == 5 * all / 4);
    EXPECT_TRUE(core(unfused, true) == all);
    EXPECT_TRUE(core(unfused, false) == 2 * all);
    EXPECT_TRUE(core(selective, true) == 2 * (all / 2));
    EXPECT_TRUE(core(selective, false) == 5 * all / 4);
}

// Full recomputation repeats what a layer's forward pass communicates over tp and cp: two
// all-reduces, with sequence parallelism two all-gathers and two reduce-scatters, and the keys'
// all-gather. Selective recomputation repeats none.
TEST(Recomputation, RepeatsTheCommunicationOfTheForwardPass) {
    std::mt19937_64 random(2);
    for (const ModelSpec& model : {small_model(), small_gpt(), small_latent()}) {
        for (int trial = 0; trial < 20; ++trial) {
            Plan plan = random_plan(random, model);
            const auto bytes = [&](Recompute recompute, bool forward_only) {
                plan.recompute = recompute;
                return sum(generate(model, plan), "comm_size", [&](const Node& node) {
                    return node.type == NodeType::CommCollective && contains(node.name, "layer") &&
                           (!forward_only || contains(node.name, "_forward"));
                });
            };
            const WideCount forward = bytes(Recompute::None, true);
            const WideCount all = bytes(Recompute::None, false);
            EXPECT_TRUE(bytes(Recompute::Selective, false) == all) << describe(plan);
            EXPECT_TRUE(bytes(Recompute::Full, false) == all + forward) << describe(plan);
        }
    }
}

// Prefill: 2 FLOPs per weight and token, for the LM head only for one token per sequence, and 2 L s
// a (d_qk + d_v) T, half of it in a fused kernel. A decode step: T = B tokens against N cached
// ones.
TEST(Inference, FlopsArePrefillAndDecodeClosedForms) {
    std::mt19937_64 random(3);
    for (const ModelSpec& model : {small_model(), small_gpt()}) {
        for (int trial = 0; trial < 30; ++trial) {
            Plan plan = random_plan(random, model);
            plan.cp = 1;
            plan.schedule = Schedule::OneForwardOneBackward;
            const WideCount head = WideCount{model.vocab} * model.hidden;
            const WideCount weights = multiplying_weights(model);
            plan.mode = Mode::Prefill;
            const Plan prefill = resolve_plan(model, plan);
            EXPECT_TRUE(sum(generate(model, prefill), "num_ops", multiplies) ==
                        2 * (weights - head) * prefill.tokens() + 2 * head * prefill.batch +
                            (prefill.causal_flops == CausalFlops::Half ? 1 : 2) *
                                core_products(model, prefill.sequence, prefill.tokens()))
                << describe(plan);
            plan.mode = Mode::Decode;
            plan.sequence = 0;
            plan.sequence_parallel = false;
            plan.context = 1 + static_cast<std::int64_t>(random() % 32);
            const Plan decode = resolve_plan(model, plan);
            EXPECT_TRUE(sum(generate(model, decode), "num_ops", multiplies) ==
                        2 * weights * decode.batch +
                            2 * core_products(model, decode.context, decode.batch))
                << describe(plan);
        }
    }
}

// Latent attention decodes on cached vectors: their kv + r channels meet the queries, and kv of
// them the probabilities, for every head; expanding them costs as much for the token as in
// training.
TEST(Inference, LatentAttentionDecodesOnCachedVectors) {
    for (const std::int64_t q : {0, 24}) {
        const ModelSpec model = small_latent(q);
        Plan plan;
        plan.tp = 2;
        plan.pp = 2;
        plan.batch = 6;
        plan.mode = Mode::Decode;
        plan.context = 300;
        const WideCount core =
            WideCount{model.layers} * model.heads * ((16 + 8) + 16) * 300 * plan.batch;
        EXPECT_TRUE(sum(generate(model, plan), "num_ops", multiplies) ==
                    WideCount{2} * multiplying_weights(model) * plan.batch + 2 * core);
    }
}

// Per rank and layer: every cached key and value once, 2 bytes a channel, and the query and the
// result; latent attention reads its vectors once for both.
TEST(Inference, TheCoreReadsTheCache) {
    const auto core_bytes = [](const ModelSpec& model) {
        Plan plan;
        plan.tp = 2;
        plan.batch = 3;
        plan.micro_batch = 3;
        plan.mode = Mode::Decode;
        plan.context = 300;
        std::int64_t bytes = 0;
        for (const Node& node : generate(model, plan).nodes(Rank(0))) {
            if (node.name == "mb0_layer1_attention_scores_forward" ||
                node.name == "mb0_layer1_attention_context_forward") {
                bytes += node.integer("tensor_size").value();
            }
        }
        return bytes;
    };
    // 4 heads and 1 key head of 16 channels a rank.
    EXPECT_EQ(core_bytes(small_model()), 2 * 3 * (2 * 300 * 16 + 2 * 64));
    // 4 heads; 16 + 8 channels cached.
    EXPECT_EQ(core_bytes(small_latent()), 2 * 3 * (300 * 24 + 4 * 24 + 4 * 16));
}

TEST(Inference, HasNoBackwardPassAndNoOptimizer) {
    for (const Mode mode : {Mode::Prefill, Mode::Decode}) {
        Plan plan;
        plan.dp = 2;
        plan.tp = 2;
        plan.pp = 2;
        plan.batch = 8;
        plan.mode = mode;
        const GeneratedWorkload workload = generate(small_model(), plan);
        for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
            for (const Node& node : workload.nodes(Rank(r))) {
                for (const char* word : {"backward", "grad", "optimizer", "loss", "recompute"}) {
                    EXPECT_FALSE(contains(node.name, word)) << node.name;
                }
            }
        }
    }
}

// By hand: 2 sequences of 32 tokens, tp 2, so 4 heads x 64 x 32 = 8192 scores of 2 bytes. Unfused,
// QK^T writes them, the softmax reads and writes them, PV reads them.
TEST(AttentionKernel, UnfusedMovesTheScores) {
    Plan plan;
    plan.tp = 2;
    plan.micro_batch = 2;
    const auto bytes = [&plan](AttentionKernel kernel, const std::string& operation) {
        plan.attention_kernel = kernel;
        for (const Node& node : generate(small_model(), plan).nodes(Rank(0))) {
            if (node.name == "mb0_layer0_attention_" + operation) {
                return node.integer("tensor_size").value();
            }
        }
        return std::int64_t{-1};
    };
    const std::pair<const char*, std::int64_t> cases[] = {
        {"scores_forward", 1},   {"softmax_forward", 2},  {"context_forward", 1},
        {"context_backward", 2}, {"softmax_backward", 3}, {"scores_backward", 2}};
    for (const auto& [operation, passes] : cases) {
        EXPECT_EQ(
            bytes(AttentionKernel::Unfused, operation) - bytes(AttentionKernel::Fused, operation),
            passes * 8192 * 2)
            << operation;
    }
    EXPECT_EQ(bytes(AttentionKernel::Auto, "scores_forward"),
              bytes(AttentionKernel::Fused, "scores_forward"));
}

}  // namespace
}  // namespace npunet::generators::attention_flops_test

// What --step-ops full and --precision fp8 add to a step. P linear weights, m micro-batches, g
// bytes of a gradient, n tokens of a micro-batch on a rank:
//
//     main gradients   every micro-batch P x 2 g, and P (2 g - 2) less in the products
//     norm, clipping   P g and P 2 g, once; zeroing P g, once
//     dropout masks    two in a layer, forward and backward, n h bytes (/ tp: sequence parallel)
//     casts to FP8     (2 + 2) bytes for each element of an input, of an output's gradient, of
//                      a weight (once)

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "generators/transformer/training_step.h"
#include "tests/generators/parallel_plans.h"
#include "tests/generators/peaks.h"
#include "tests/generators/rendezvous.h"
#include "tests/generators/steps.h"

namespace npunet::generators::step_ops_test {
namespace {

using chakra::Node;
using chakra::NodeType;

ModelSpec small_dropout() {
    ModelSpec model = small_gpt();
    model.name = "small-dropout";
    model.dropout = true;
    return model;
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_added(const std::string& name) {
    return ends_with(name, "_gradient_accumulation") || contains(name, "_cast_") ||
           contains(name, "_dropout_") || name == "gradient_norm" || name == "gradient_clipping" ||
           name == "gradient_zeroing" || contains(name, "gradient_norm_");
}

/// Bytes of the compute nodes of all ranks whose name `wanted` takes.
WideCount bytes(const GeneratedWorkload& workload,
                const std::function<bool(const std::string&)>& wanted) {
    return sum(workload, "tensor_size", [&](const Node& node) {
        return node.type == NodeType::Compute && wanted(node.name);
    });
}

WideCount bytes_ending(const GeneratedWorkload& workload, const std::string& end) {
    return bytes(workload, [&](const std::string& name) { return ends_with(name, end); });
}

// The nodes of a core step are there as they were, but for the bytes of weight gradients; what is
// added has no place in the sums of multiplications.
TEST(StepOps, FullAddsNodesToACoreStep) {
    for (const ModelSpec& model : {small_model(), small_dropout(), small_latent(), small_moe()}) {
        for (Plan plan : random_plans(model, 8, 21)) {
            plan.step_ops = StepOps::Core;
            const GeneratedWorkload core = generate(model, plan);
            plan.step_ops = StepOps::Full;
            for (const Precision precision : {Precision::Bf16, Precision::Fp8}) {
                plan.precision = precision;
                const GeneratedWorkload full = generate(model, plan);
                EXPECT_TRUE(sum(full, "num_ops", multiplies) == sum(core, "num_ops", multiplies))
                    << full_description(plan);
                std::vector<Node> left;
                for (const Node& node : full.nodes(Rank(0))) {
                    if (!is_added(node.name)) {
                        left.push_back(node);
                    } else if (node.type == NodeType::Compute) {
                        EXPECT_FALSE(is_multiplication(node.name)) << node.name;
                        const auto kernel = node.text("kernel");
                        EXPECT_EQ(kernel, node.name == "gradient_zeroing" ? "copy" : "elementwise");
                    } else {
                        EXPECT_EQ(node.integer("comm_size").value() % 16, 0) << node.name;
                    }
                }
                const std::vector<Node> before = core.nodes(Rank(0));
                ASSERT_EQ(left.size(), before.size()) << full_description(plan);
                for (std::size_t i = 0; i < left.size(); ++i) {
                    EXPECT_EQ(left[i].name, before[i].name);
                    for (const char* const attribute : {"num_ops", "comm_size", "comm_type"}) {
                        EXPECT_EQ(left[i].integer(attribute), before[i].integer(attribute))
                            << left[i].name;
                    }
                    if (precision == Precision::Bf16 && !ends_with(left[i].name, "_wgrad")) {
                        EXPECT_EQ(left[i].integer("tensor_size"), before[i].integer("tensor_size"))
                            << left[i].name;
                    }
                }
            }
        }
    }
}

TEST(StepOps, GradientsMoveTheBytesOfTheClosedForms) {
    for (const ModelSpec& model : {small_model(), small_dropout(), small_latent()}) {
        for (Plan plan : random_plans(model, 12, 22)) {
            plan.step_ops = StepOps::Core;
            const GeneratedWorkload core = generate(model, plan);
            plan.step_ops = StepOps::Full;
            const GeneratedWorkload full = generate(model, plan);
            const WideCount weights =
                WideCount{plan.dp * plan.cp * plan.micro_batches()} * multiplying_weights(model);
            EXPECT_TRUE(bytes_ending(full, "_gradient_accumulation") == weights * 2 * 4)
                << model.name << " " << full_description(plan);
            EXPECT_TRUE(bytes_ending(core, "_wgrad") - bytes_ending(full, "_wgrad") ==
                        weights * (2 * 4 - 2));
            const WideCount states = bytes_ending(full, "optimizer_step") / (4 + 2 * 12 + 2);
            EXPECT_TRUE(bytes_ending(full, "gradient_norm") == states * 4);
            EXPECT_TRUE(bytes_ending(full, "gradient_clipping") == states * 2 * 4);
            // Where no optimizer states are divided, or all gradients with them.
            if (plan.zero != 1) {
                EXPECT_TRUE(bytes_ending(full, "gradient_zeroing") == states * 4);
            } else {
                EXPECT_TRUE(bytes_ending(full, "gradient_zeroing") >= states * 4);
            }
        }
    }
}

// Norms are summed over the ranks whose parts differ: a number, padded to 16 bytes each.
TEST(StepOps, TheNormIsSummedOverTheGroupsThatShareTheModel) {
    const auto groups_of = [](const ModelSpec& model, const Plan& plan) {
        std::vector<std::string> names;
        for (const Node& node : generate(model, plan).nodes(Rank(0))) {
            if (node.type == NodeType::CommCollective && contains(node.name, "gradient_norm")) {
                names.push_back(node.name + " " +
                                std::to_string(node.integer("comm_size").value()));
            }
        }
        return names;
    };
    Plan plan;
    plan.dp = 4;
    plan.step_ops = StepOps::Full;
    EXPECT_EQ(groups_of(small_model(), plan), std::vector<std::string>{});
    plan.tp = 2;
    EXPECT_EQ(groups_of(small_model(), plan),
              std::vector<std::string>{"gradient_norm_tensor_all_reduce 32"});
    plan.zero = 1;
    EXPECT_EQ(groups_of(small_model(), plan),
              (std::vector<std::string>{"gradient_norm_tensor_all_reduce 32",
                                        "gradient_norm_replicas_all_reduce 64"}));
    plan.zero = 0;
    plan.ep = 4;
    EXPECT_EQ(groups_of(small_moe(), plan),
              (std::vector<std::string>{"gradient_norm_tensor_all_reduce 32",
                                        "gradient_norm_experts_all_reduce 64"}));
}

// Two masks of a layer; the sum divides over tp with sequence parallelism alone.
TEST(StepOps, MasksAreAByteAnElement) {
    for (Plan plan : random_plans(small_dropout(), 12, 23)) {
        plan.step_ops = StepOps::Full;
        const GeneratedWorkload full = generate(small_dropout(), plan);
        const WideCount whole = WideCount{4} * plan.tokens() * 64;  // layers, hidden
        const WideCount ranks = plan.sequence_parallel || plan.tp == 1 ? 1 : plan.tp;
        EXPECT_TRUE(bytes_ending(full, "_dropout_backward") == 2 * whole * ranks)
            << full_description(plan);
        EXPECT_TRUE(bytes_ending(full, "_dropout_forward") == 2 * whole * ranks);
        EXPECT_TRUE(bytes_ending(generate(small_model(), plan), "_dropout_forward") == 0);
    }
}

// By hand: small_model() at tp 2, two micro-batches of 2 x 32 tokens: inputs of 64, 64, 64 and 48
// channels, results of 96, 64, 96 and 64.
TEST(StepOps, CastsReadTwoBytesAndWriteTwo) {
    Plan plan;
    plan.tp = 2;
    plan.micro_batch = 2;
    plan.batch = 4;
    plan.step_ops = StepOps::Full;
    plan.precision = Precision::Fp8;
    for (const Recompute recompute : {Recompute::None, Recompute::Full}) {
        plan.recompute = recompute;
        const GeneratedWorkload full = generate(small_model(), plan);
        const WideCount rank_passes = WideCount{2} * 4 * 2;  // ranks, layers, micro-batches
        EXPECT_TRUE(bytes_ending(full, "_input_cast_forward") ==
                    (recompute == Recompute::Full ? 2 : 1) * rank_passes * 64 *
                        (64 + 64 + 64 + 48) * 4);
        EXPECT_TRUE(bytes_ending(full, "_gradient_cast_backward") ==
                    rank_passes * 64 * (96 + 64 + 96 + 64) * 4);
        EXPECT_TRUE(bytes_ending(full, "_weight_cast_forward") ==
                    WideCount{2} * 4 * (64 * 96 + 64 * 64 + 64 * 96 + 48 * 64) * 4);
    }
    plan.step_ops = StepOps::Core;
    EXPECT_TRUE(bytes(generate(small_model(), plan), is_added) == 0);
}

// The experts of a rank have tokens by routing and weights whatever it is.
TEST(StepOps, ExpertsCastTheirTokens) {
    Plan plan;
    plan.dp = 4;
    plan.ep = 4;
    plan.batch = 8;
    plan.step_ops = StepOps::Full;
    plan.precision = Precision::Fp8;
    plan.sequence = 32;
    for (const ModelSpec& model : {small_moe(), skewed_moe()}) {
        const GeneratedWorkload full = generate(model, plan);
        const auto named = [&](const std::string& end) { return bytes_ending(full, end); };
        // 3 layers, 2 copies of each token; 2 experts of a rank, of 64 x 64 and 32 x 64 weights.
        const WideCount copies = WideCount{3} * 2 * plan.tokens();
        EXPECT_TRUE(named("moe_up_input_cast_forward") == copies * 64 * 4) << model.name;
        EXPECT_TRUE(named("moe_down_input_cast_forward") == copies * 32 * 4) << model.name;
        EXPECT_TRUE(named("moe_up_gradient_cast_backward") == copies * 64 * 4) << model.name;
        EXPECT_TRUE(named("moe_down_gradient_cast_backward") == copies * 64 * 4) << model.name;
        EXPECT_TRUE(named("moe_up_weight_cast_forward") == WideCount{4} * 3 * 2 * 64 * 64 * 4);
        EXPECT_TRUE(named("moe_down_weight_cast_forward") == WideCount{4} * 3 * 2 * 32 * 64 * 4);
        const WideCount micro_batches = plan.micro_batches();
        EXPECT_TRUE(named("moe_up_gradient_accumulation") ==
                    micro_batches * 4 * 3 * 2 * 64 * 64 * 8);
        EXPECT_TRUE(named("moe_router_gradient_accumulation") ==
                    micro_batches * 4 * 3 * 64 * 8 * 8);
    }
}

TEST(Precision, IsThatOfTheLinearLayersOfDecoderLayers) {
    Plan plan;
    plan.tp = 2;
    plan.precision = Precision::Fp8;
    for (const ModelSpec& model : {small_moe(), small_latent()}) {
        for (const Node& node : generate(model, plan).nodes(Rank(0))) {
            const std::string kernel(node.text("kernel").value_or(""));
            if (kernel == "matmul" || kernel == "grouped_matmul") {
                const bool other =
                    contains(node.name, "lm_head") || contains(node.name, "moe_router");
                EXPECT_EQ(node.text("dtype"), other ? "bf16" : "fp8") << node.name;
            } else if (kernel == "attention") {
                EXPECT_EQ(node.text("dtype"), "bf16") << node.name;
            }
        }
    }
    // [64, 64] x [64, 96] of a byte each, the result of 2.
    for (const Node& node : generate(small_model(), plan).nodes(Rank(0))) {
        if (node.name == "mb0_layer0_attention_qkv_forward") {
            EXPECT_EQ(node.integer("tensor_size"), 32 * 64 + 64 * 96 + 2 * 32 * 96);
        }
    }
}

// Weight gradients that a schedule puts off take the addition along.
TEST(StepOps, AccumulationFollowsItsWeightGradient) {
    Plan plan;
    plan.pp = 2;
    plan.batch = 4;
    plan.schedule = Schedule::ZeroBubble;
    plan.step_ops = StepOps::Full;
    const GeneratedWorkload workload = generate(small_model(), plan);
    std::int64_t pairs = 0;
    for (const Role& role : workload.roles()) {
        EXPECT_EQ(role.nodes.front().name, "gradient_zeroing");
        for (std::size_t i = 0; i + 1 < role.nodes.size(); ++i) {
            if (ends_with(role.nodes[i].name, "_wgrad")) {
                const std::string& name = role.nodes[i].name;
                EXPECT_EQ(role.nodes[i + 1].name,
                          name.substr(0, name.size() - 6) + "_gradient_accumulation");
                ++pairs;
            }
        }
    }
    EXPECT_EQ(pairs, (4 * 4 + 1) * 4);
}

TEST(StepOps, EveryPlanRunsToItsEndWithThePeaksThatAreEstimated) {
    std::mt19937_64 random(6);
    for (const ModelSpec& model : {small_dropout(), small_latent(), skewed_moe()}) {
        for (Plan plan : random_plans(model, 8, 24)) {
            plan.step_ops = StepOps::Full;
            plan.precision = random() % 2 == 0 ? Precision::Fp8 : Precision::Bf16;
            plan.recompute = static_cast<Recompute>(random() % 3);
            EXPECT_EQ(unfinished_after_rendezvous(generate(model, plan)), 0)
                << full_description(plan);
            if (plan.world() > 1) {
                expect_predicted_peaks(model, resolve_plan(model, plan));
            }
        }
    }
}

// Inference has no gradients, and takes its FP8 weights as they are stored.
TEST(StepOps, InferenceHasNoneOfThem) {
    for (const Mode mode : {Mode::Prefill, Mode::Decode}) {
        Plan plan;
        plan.mode = mode;
        plan.tp = 2;
        plan.micro_batch = 2;
        plan.precision = Precision::Fp8;
        EXPECT_TRUE(bytes(generate(small_dropout(), plan), is_added) == 0);
        const Plan resolved = resolve_plan(small_model(), plan);
        EXPECT_EQ(resolved.step_ops, StepOps::Core);
        EXPECT_EQ(notes_on_parameters_without_effect(small_model(), resolved),
                  std::vector<std::string>{});
    }
}

}  // namespace
}  // namespace npunet::generators::step_ops_test

// Attributes by which a device's model tells the time of a node. A product of batch x [m, k] x
// [k, n] has 2 batch m n k FLOPs, attention 4 sequences heads queries keys d of which a causal mask
// of as many queries as keys leaves half; so the shapes say again what num_ops says.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/device/kernel.h"
#include "generators/kernel.h"
#include "generators/stage/stage_workload.h"
#include "generators/transformer/training_step.h"
#include "tests/generators/parallel_plans.h"
#include "tests/generators/steps.h"

namespace npunet::generators {
namespace {

using chakra::Node;
using chakra::NodeType;

std::string kernel_of(const Node& node) {
    return std::string(node.text("kernel").value_or(""));
}

std::vector<std::int64_t> shape_of(const Node& node) {
    const chakra::Attribute* shape = node.find("shape");
    return shape == nullptr ? std::vector<std::int64_t>{}
                            : std::get<std::vector<std::int64_t>>(shape->value);
}

std::int64_t product_flops(const std::vector<std::int64_t>& shape) {
    return 2 * shape.at(0) * shape.at(1) * shape.at(2) * shape.at(3);
}

/// By name, of rank 0.
std::map<std::string, Node> nodes_of(const ModelSpec& model, const Plan& plan) {
    std::map<std::string, Node> nodes;
    for (const Node& node : generate(model, plan).nodes(Rank(0))) {
        nodes[node.name] = node;
    }
    return nodes;
}

// Every node of the models and plans of these tests, all forms of attention, routing by experts.
TEST(KernelAttributes, ProductsHaveTheFlopsOfTheNode) {
    for (const ModelSpec& model : {small_model(), small_gpt(), small_latent(), small_moe()}) {
        for (Plan plan : random_plans(model, 40, 7)) {
            for (const AttentionKernel kernel :
                 {AttentionKernel::Fused, AttentionKernel::Unfused}) {
                plan.attention_kernel = kernel;
                const GeneratedWorkload workload = generate(model, plan);
                std::int64_t products = 0;
                for (const Role& role : workload.roles()) {
                    ASSERT_LT(role.kernels.size(), 128U);
                }
                for (const Node& node : workload.nodes(Rank(0))) {
                    if (kernel_of(node) == "matmul") {
                        ++products;
                        EXPECT_EQ(product_flops(shape_of(node)), node.integer("num_ops"))
                            << node.name << " " << full_description(plan);
                    } else if (kernel_of(node) == "grouped_matmul") {
                        // Experts round the mean of their tokens up.
                        const std::vector<std::int64_t> shape = shape_of(node);
                        const std::int64_t all = node.integer("num_ops").value();
                        const std::int64_t tokens = shape.at(contains(node.name, "_wgrad") ? 3 : 1);
                        EXPECT_GE(product_flops(shape), all) << node.name;
                        EXPECT_GT(all, product_flops(shape) / tokens * (tokens - 1)) << node.name;
                    }
                }
                EXPECT_GT(products, 0);
            }
        }
    }
}

// 4 S a q k d of a fused core forward, half of it under the mask; backward 5 / 2 of it, where keys
// and values have equally many channels.
TEST(KernelAttributes, AFusedCoreIsOneKernelOfItsFirstNode) {
    const ModelSpec model = small_model();
    for (Plan plan : random_plans(model, 60, 8)) {
        plan.attention_kernel = AttentionKernel::Fused;
        for (const CausalFlops scores : {CausalFlops::Full, CausalFlops::Half}) {
            plan.causal_flops = scores;
            double forward = 0;
            double backward = 0;
            double forward_ops = 0;
            double backward_ops = 0;
            for (const Node& node : generate(model, plan).nodes(Rank(0))) {
                const std::string kernel = kernel_of(node);
                if (kernel != "attention" && kernel != "attention_backward") {
                    EXPECT_FALSE(contains(node.name, "attention_softmax")) << node.name;
                    continue;
                }
                const std::vector<std::int64_t> shape = shape_of(node);
                const bool causal = node.integer("causal") == 1;
                EXPECT_EQ(causal, scores == CausalFlops::Half);
                const auto queries = static_cast<double>(shape.at(3));
                const double keys = static_cast<double>(shape.at(4)) - (causal ? queries / 2 : 0);
                const double all = 4.0 * static_cast<double>(shape.at(0) * shape.at(1)) * queries *
                                   keys * static_cast<double>(shape.at(5));
                const bool first = contains(
                    node.name, kernel == "attention" ? "scores_forward" : "context_backward");
                EXPECT_EQ(node.integer("launches").value_or(1), first ? 1 : 0) << node.name;
                EXPECT_EQ(node.text("dtype"), "bf16");
                EXPECT_GE(shape.at(1), shape.at(2));
                const bool counts = !contains(node.name, "softmax");
                (kernel == "attention" ? forward : backward) += first ? all : 0;
                (kernel == "attention" ? forward_ops : backward_ops) +=
                    counts ? static_cast<double>(node.integer("num_ops").value()) : 0;
            }
            EXPECT_GT(forward, 0);
            EXPECT_EQ(forward, forward_ops) << full_description(plan);
            EXPECT_EQ(2.5 * backward, backward_ops) << full_description(plan);
        }
    }
}

// By hand: small_model() at tp 2, 2 sequences of 32 tokens: 4 query heads and 1 key head of 16
// channels, QKV [64, 64] x [64, 96].
TEST(KernelAttributes, ShapesAreThoseOfTheRank) {
    Plan plan;
    plan.tp = 2;
    plan.micro_batch = 2;
    const auto nodes = nodes_of(small_model(), plan);
    const auto expect = [&nodes](const std::string& name, const std::string& kernel,
                                 const std::string& type, const std::vector<std::int64_t>& shape) {
        ASSERT_EQ(nodes.count(name), 1U) << name;
        const Node& node = nodes.at(name);
        EXPECT_EQ(kernel_of(node), kernel) << name;
        EXPECT_EQ(node.text("dtype"), type) << name;
        EXPECT_EQ(shape_of(node), shape) << name;
    };
    const std::string layer = "mb0_layer1_";
    expect("mb0_embedding_forward", "embedding", "bf16", {64 * 64});
    expect(layer + "attention_norm_forward", "norm", "bf16", {64 * 64});
    expect(layer + "attention_qkv_forward", "matmul", "bf16", {1, 64, 96, 64});
    expect(layer + "attention_qkv_dgrad", "matmul", "bf16", {1, 64, 64, 96});
    expect(layer + "attention_qkv_wgrad", "matmul", "bf16", {1, 96, 64, 64});
    expect(layer + "attention_rotary_forward", "elementwise", "bf16", {64 * 5 * 16});
    expect(layer + "attention_scores_forward", "attention", "bf16", {2, 4, 1, 32, 32, 16});
    expect(layer + "attention_context_backward", "attention_backward", "bf16",
           {2, 4, 1, 32, 32, 16});
    expect(layer + "mlp_down_forward", "matmul", "bf16", {1, 64, 64, 48});
    expect(layer + "mlp_activation_forward", "elementwise", "bf16", {64 * 48});
    expect("mb0_loss_exponentials_forward", "softmax", "fp32", {64 * 80});
    const std::int64_t parameters =
        own_parameters(small_model(), resolve_plan(small_model(), plan)).layer * 4 + 2 * 80 * 64 +
        64;
    expect("optimizer_step", "optimizer", "fp32", {parameters});
    plan.attention_kernel = AttentionKernel::Unfused;
    for (const auto& [name, shape] : std::map<std::string, std::vector<std::int64_t>>{
             {"attention_scores_forward", {8, 32, 32, 16}},
             {"attention_context_forward", {8, 32, 16, 32}},
             {"attention_context_backward", {16, 32, 32, 16}},
             {"attention_scores_backward", {16, 32, 16, 32}}}) {
        const Node node = nodes_of(small_model(), plan).at(layer + name);
        EXPECT_EQ(kernel_of(node), "matmul") << name;
        EXPECT_EQ(shape_of(node), shape) << name;
        EXPECT_EQ(node.integer("launches").value_or(1), contains(name, "backward") ? 2 : 1);
    }
}

// Zigzag chunks: a step of the ring has the keys of one rank; of gathered keys a query of any rank
// meets half, which (32 + 8) / 2 keys and a mask of the last 8 queries have: 20 - 4 = 16.
TEST(KernelAttributes, PartsOfSequencesHaveTheirQueriesAndKeys) {
    Plan plan;
    plan.cp = 4;
    const auto ring = nodes_of(small_model(), plan);
    EXPECT_EQ(shape_of(ring.at("mb0_layer0_ring2_attention_scores_forward")),
              (std::vector<std::int64_t>{1, 8, 2, 8, 8, 16}));
    plan.context_comm = ContextComm::AllGather;
    EXPECT_EQ(shape_of(nodes_of(small_model(), plan).at("mb0_layer0_attention_scores_forward")),
              (std::vector<std::int64_t>{1, 8, 2, 8, 20, 16}));
    plan.context_comm = ContextComm::AllToAll;
    EXPECT_EQ(shape_of(nodes_of(small_model(), plan).at("mb0_layer0_attention_scores_forward")),
              (std::vector<std::int64_t>{1, 2, 1, 32, 32, 16}));
    Plan decode;
    decode.mode = Mode::Decode;
    decode.micro_batch = 3;
    decode.context = 300;
    const Node step = nodes_of(small_model(), decode).at("mb0_layer0_attention_scores_forward");
    EXPECT_EQ(shape_of(step), (std::vector<std::int64_t>{3, 8, 2, 1, 300, 16}));
    EXPECT_EQ(step.integer("causal"), 0);
    // Cached vectors of 16 + 8 channels are the one key of all heads, 16 of them the value.
    const Node latent = nodes_of(small_latent(), decode).at("mb0_layer0_attention_scores_forward");
    EXPECT_EQ(shape_of(latent), (std::vector<std::int64_t>{3, 8, 1, 1, 300, 20}));
}

// The engine knows every name, all shapes have their size, and nothing but compute has a kernel.
TEST(KernelAttributes, AreThoseThatTheEngineReads) {
    std::set<std::string> seen;
    std::size_t stage_nodes = 0;
    for (const ModelSpec& model : {small_gpt(), small_latent(), small_moe(), skewed_moe()}) {
        for (const Plan& plan : random_plans(model, 15, 9)) {
            for (const Node& node : generate(model, plan).nodes(Rank(0))) {
                if (node.type != NodeType::Compute) {
                    EXPECT_EQ(kernel_of(node), "") << node.name;
                    continue;
                }
                if (node.integer("num_ops") == 0) {  // experts without tokens
                    EXPECT_EQ(kernel_of(node), "") << node.name;
                    continue;
                }
                const auto kernel = chakra::kernel_named(kernel_of(node));
                ASSERT_TRUE(kernel) << node.name;
                EXPECT_TRUE(chakra::data_type_named(*node.text("dtype"))) << node.name;
                EXPECT_EQ(shape_of(node).size(), chakra::shape_size(*kernel)) << node.name;
                for (const std::int64_t side : shape_of(node)) {
                    EXPECT_GT(side, 0) << node.name;
                }
                seen.insert(kernel_of(node));
            }
        }
    }
    EXPECT_EQ(seen.size(), 10U);
    for (const Node& node : generate(StageArguments{}).nodes(Rank(0))) {
        ++stage_nodes;
        for (const char* const name : {"kernel", "dtype", "shape", "causal", "launches"}) {
            EXPECT_EQ(node.find(name), nullptr) << node.name;
        }
    }
    EXPECT_GT(stage_nodes, 0U);
}

// Experts by their popularity: each rank's products have its own tokens.
TEST(KernelAttributes, ExpertsHaveTheTokensOfTheRank) {
    Plan plan;
    plan.dp = 4;
    plan.ep = 4;
    const GeneratedWorkload workload = generate(skewed_moe(), plan);
    std::set<std::vector<std::int64_t>> shapes;
    for (std::int32_t rank = 0; rank < 4; ++rank) {
        for (const Node& node : workload.nodes(Rank(rank))) {
            if (node.name == "mb0_layer2_moe_up_forward") {
                shapes.insert(shape_of(node));
                EXPECT_EQ(shape_of(node).at(2), 2 * 32);
                EXPECT_EQ(shape_of(node).at(3), 64);
            }
        }
    }
    EXPECT_GT(shapes.size(), 1U);
}

// Without a data type of that width there is no kernel to name.
TEST(KernelAttributes, TypesAreThoseOfTheModel) {
    ModelSpec model = small_model();
    for (const auto& [bytes, name] :
         std::map<std::int64_t, std::string>{{1, "fp8"}, {2, "bf16"}, {4, "fp32"}, {8, "fp64"}}) {
        model.dtypes.activations = bytes;
        EXPECT_EQ(nodes_of(model, {}).at("mb0_lm_head_forward").text("dtype"), name);
    }
    model.dtypes.activations = 3;
    EXPECT_EQ(kernel_of(nodes_of(model, {}).at("mb0_lm_head_forward")), "");
}

// Activations and gradients of them in the model's type, gradients of parameters in fp32,
// probabilities and losses in fp32, weights in theirs; counts of tokens are integers.
TEST(KernelAttributes, CollectivesSayTheTypeOfTheirElements) {
    ModelSpec model = small_moe();
    Plan plan;
    plan.dp = 4;
    plan.tp = 2;
    plan.ep = 4;
    plan.zero = 1;
    plan.batch = 8;
    std::map<std::string, std::string> types;
    for (const Node& node : generate(model, plan).nodes(Rank(0))) {
        if (node.type == NodeType::CommCollective) {
            types[node.name] = std::string(node.text("dtype").value_or(""));
        }
    }
    EXPECT_EQ(types.at("mb0_layer0_attention_projection_all_reduce_forward"), "bf16");
    EXPECT_EQ(types.at("mb0_layer1_moe_dispatch_all_to_all_forward"), "bf16");
    EXPECT_EQ(types.at("mb0_layer1_moe_probabilities_all_to_all_forward"), "fp32");
    EXPECT_EQ(types.at("mb0_layer1_moe_counts_all_gather_forward"), "");
    EXPECT_EQ(types.at("mb0_loss_maximum_all_reduce_forward"), "fp32");
    EXPECT_EQ(types.at("layer0_gradients_reduce_scatter"), "fp32");
    EXPECT_EQ(types.at("layer0_weights_all_gather"), "bf16");
    EXPECT_EQ(types.at("gradient_norm_tensor_all_reduce"), "fp32");
    model.dtypes.activations = 4;
    model.dtypes.gradients = 2;
    for (const Node& node : generate(model, plan).nodes(Rank(0))) {
        if (node.name == "mb0_layer0_attention_projection_all_reduce_forward") {
            EXPECT_EQ(node.text("dtype"), "fp32");
        } else if (node.name == "layer0_gradients_reduce_scatter") {
            EXPECT_EQ(node.text("dtype"), "bf16");
        }
    }
}

}  // namespace
}  // namespace npunet::generators

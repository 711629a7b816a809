#include "generators/transformer/training_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "chakra/files/trace_reader.h"
#include "chakra/trace/comm_groups.h"
#include "generators/transformer/local_sizes.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/saved_activations.h"
#include "generators/workload_files.h"
#include "tests/generators/steps.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;
using test::bytes_of;

/// 6 P T and the attention core; per weight and token 2 forward, 2 dgrad and 2 wgrad.
WideCount multiplication_flops(const ModelSpec& model, const Plan& plan) {
    return WideCount{6} * multiplying_weights(model) * plan.tokens() + core_flops(model, plan);
}

TEST(TrainingStep, MultiplicationsSumToTheModelsFlops) {
    for (const ModelSpec& model : {small_model(), small_gpt()}) {
        for (const Plan& plan : many_plans()) {
            EXPECT_TRUE(sum(generate(model, plan), "num_ops", multiplies) ==
                        multiplication_flops(model, plan))
                << model.name << " " << describe(plan);
        }
    }
}

TEST(TrainingStep, MultiplicationsSumToTheModelsFlopsForLlama2) {
    const ModelSpec model = load_model("llama2-70b");
    Plan plan;
    plan.tp = 16;  // more than the 8 kv_heads
    plan.cp = 2;
    plan.pp = 2;
    plan.batch = 4;
    plan.sequence = 2048;
    plan = resolve_plan(model, plan);
    EXPECT_TRUE(sum(generate(model, plan), "num_ops", multiplies) ==
                multiplication_flops(model, plan));
}

// By hand: micro-batch of 2 sequences of 32 tokens, tp 2, bf16. QKV: [64, 64] x [64, 96].
TEST(TrainingStep, ComputeNodesCarryFlopsAndBytes) {
    ModelSpec model = small_model();
    Plan plan;
    plan.tp = 2;
    plan.micro_batch = 2;
    std::map<std::string, Node> nodes;
    for (const Node& node : generate(model, plan).nodes(Rank(1))) {
        nodes[node.name] = node;
    }
    const auto expect = [&nodes](const char* name, std::int64_t flops, std::int64_t bytes) {
        ASSERT_EQ(nodes.count(name), 1U) << name;
        EXPECT_EQ(nodes[name].integer("num_ops"), flops) << name;
        EXPECT_EQ(nodes[name].integer("tensor_size"), bytes) << name;
        EXPECT_EQ(nodes[name].integer("is_cpu_op"), 0) << name;
    };
    expect("mb0_layer2_attention_qkv_forward", 2 * 64 * 64 * 96, 2 * (64 * 64 + 64 * 96 + 64 * 96));
    expect("mb0_layer2_attention_qkv_dgrad", 2 * 64 * 64 * 96, 2 * (64 * 64 + 64 * 96 + 64 * 96));
    expect("mb0_layer2_attention_qkv_wgrad", 2 * 64 * 64 * 96,
           2 * (64 * 64 + 64 * 96) + 2 * 64 * 96);
    expect("mb0_layer2_attention_qkv_gradient_accumulation", 64 * 96, 2 * 4 * 64 * 96);
    // 4 query heads of 16 channels and 1 key head: 2 x 32 x 32 scores a head.
    // Half of them are masked.
    expect("mb0_layer0_attention_scores_forward", 2 * 2 * 32 * 32 * 64 / 2,
           2 * (2 * 32 * 64 + 2 * 32 * 16));
    expect("mb0_layer0_attention_context_backward", 4 * 2 * 32 * 32 * 64 / 2,
           2 * 2 * (2 * 32 * 64 + 2 * 32 * 16));
    // dQ, dK and recomputed QK^T.
    expect("mb0_layer0_attention_scores_backward", 6 * 2 * 32 * 32 * 64 / 2,
           2 * 2 * (2 * 32 * 64 + 2 * 32 * 16));
    expect("mb0_layer0_mlp_activation_forward", 5 * 64 * 48, 2 * 3 * 64 * 48);
    expect("mb0_layer0_attention_residual_forward", 64 * 64, 2 * 3 * 64 * 64);
    EXPECT_EQ(nodes["mb0_layer2_attention_qkv_forward"].find("tensor_size")->value.index(),
              chakra::AttributeValue(std::uint64_t{0}).index());
}

// A roofline divides by both.
TEST(TrainingStep, EveryComputeNodeHasFlopsAndBytes) {
    for (const Plan& plan : many_plans()) {
        const GeneratedWorkload workload = generate(small_gpt(), plan);
        for (const Role& role : workload.roles()) {
            for (const NodeTemplate& node : role.nodes) {
                EXPECT_GT(node.bytes, 0) << node.name;
                if (node.type == NodeType::Compute) {
                    EXPECT_GT(node.flops, 0) << node.name;
                }
            }
        }
    }
}

// What the ranks of one replica own: every parameter once, what tp does not divide on every tp rank
// again, and a tied table twice when first and last stage differ. Gradients are 4 bytes.
TEST(TrainingStep, GradientSumsCoverTheParametersOfEveryRank) {
    for (const ModelSpec& model : {small_model(), small_gpt(), small_oss()}) {
        for (const Plan& plan : many_plans()) {
            const std::int64_t whole_on_every_rank =
                model.layers * layer_parameters(model).replicated + position_parameters(model) +
                norm_parameters(model);
            std::int64_t owned = parameter_count(model) + (plan.tp - 1) * whole_on_every_rank;
            if (model.tied_embeddings && plan.pp > 1) {
                owned += model.vocab * model.hidden;
            }
            const std::int64_t replicas = plan.dp * plan.cp;
            const GeneratedWorkload workload = generate(model, plan);
            const auto reduces = [](const Node& node) {
                return is_collective(node, CollectiveType::AllReduce) &&
                       contains(node.name, "_gradients_all_reduce") &&
                       !contains(node.name, "sequence_parallel") && !contains(node.name, "tied") &&
                       !contains(node.name, "replicated");
            };
            EXPECT_TRUE(sum(workload, "comm_size", reduces) ==
                        (replicas > 1 ? WideCount{4} * replicas * owned : 0))
                << model.name << " " << describe(plan);
            const auto steps = [](const Node& node) { return node.name == "optimizer_step"; };
            EXPECT_TRUE(sum(workload, "tensor_size", steps) ==
                        WideCount{4 + 2 * 12 + 2} * replicas * owned)
                << model.name << " " << describe(plan);
        }
    }
}

// Norms of queries and keys are whole on every tp rank, which meets its own heads only: 2 x 16
// channels of each of the layers, 4 bytes each, also without sequence parallelism; with it all that
// is replicated and the final norm.
TEST(TrainingStep, NormsOfHeadsAreSummedOverTensorRanks) {
    const ModelSpec model = small_oss();
    for (const bool split : {false, true}) {
        Plan plan;
        plan.tp = 4;
        plan.sequence_parallel = split;
        const auto sums = [split](const Node& node) {
            return is_collective(node, CollectiveType::AllReduce) &&
                   contains(node.name,
                            split ? "sequence_parallel_gradients" : "replicated_gradients");
        };
        const std::int64_t own =
            split ? model.layers * layer_parameters(model).replicated + 64 : model.layers * 2 * 16;
        EXPECT_TRUE(sum(generate(model, plan), "comm_size", sums) == WideCount{4} * 4 * own);
    }
}

// RMS norms of a d channels of queries and g d of keys (8 x 16 each) of each token in each layer,
// forward 4 FLOPs and 2 passes of 2 bytes, backward 8 and 3: between projections and rotation. They
// keep their input, n (a + g) d of 2 bytes.
TEST(TrainingStep, NormsOfHeadsAreOperations) {
    const ModelSpec model = small_oss();
    ModelSpec without = model;
    without.qk_norm = false;
    for (const Plan& plan : many_plans()) {
        const GeneratedWorkload workload = generate(model, plan);
        const WideCount channels = WideCount{model.layers} * plan.tokens() * (8 + 8) * 16;
        for (const auto& [name, flops, passes] : {std::tuple{"attention_qk_norm_forward", 4, 2},
                                                  {"attention_qk_norm_backward", 8, 3}}) {
            const auto norms = [name = name](const Node& node) {
                return contains(node.name, name);
            };
            EXPECT_TRUE(sum(workload, "num_ops", norms) == channels * flops) << describe(plan);
            EXPECT_TRUE(sum(workload, "tensor_size", norms) == channels * passes * 2)
                << describe(plan);
        }
        EXPECT_TRUE(sum(generate(without, plan), "num_ops",
                        [](const Node& node) { return contains(node.name, "qk_norm"); }) == 0);
    }
    const auto list = generate(model, Plan{}).nodes(Rank(0));
    const auto place = [&list](const std::string& name) {
        return std::find_if(list.begin(), list.end(),
                            [&](const Node& node) { return node.name == name; }) -
               list.begin();
    };
    EXPECT_LT(place("mb0_layer0_attention_qkv_forward"),
              place("mb0_layer0_attention_qk_norm_forward"));
    EXPECT_LT(place("mb0_layer0_attention_qk_norm_forward"),
              place("mb0_layer0_attention_rotary_forward"));
    EXPECT_LT(place("mb0_layer0_attention_rotary_backward"),
              place("mb0_layer0_attention_qk_norm_backward"));
    const Plan plan = resolve_plan(model, Plan{});
    EXPECT_EQ(bytes_of(saved_by_attention(local_sizes(model, plan))) -
                  bytes_of(saved_by_attention(local_sizes(without, plan))),
              plan.sequence * plan.micro_batch * (8 + 8) * 16 * 2);
}

TEST(WorkloadFiles, TwoGenerationsAreByteIdenticalAndReadBack) {
    const test::TemporaryFolder folder;
    Plan plan;
    plan.tp = 2;
    plan.pp = 2;
    plan.dp = 2;
    const GeneratedWorkload workload = generate(small_gpt(), plan);
    write_workload(workload, {folder / "a", "step", "groups.json"});
    write_workload(generate(small_gpt(), plan), {folder / "b", "step.%d.et", "groups.json"});
    for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
        const std::string name = "step." + std::to_string(r) + ".et";
        EXPECT_EQ(bytes_of(folder / "a" / name), bytes_of(folder / "b" / name));
        const std::vector<Node> written = chakra::read_trace(folder / "a" / name);
        const std::vector<Node> generated = workload.nodes(Rank(r));
        ASSERT_EQ(written.size(), generated.size());
        for (std::size_t i = 0; i < written.size(); ++i) {
            EXPECT_TRUE(written[i] == generated[i]) << generated[i].name;
        }
    }
    EXPECT_EQ(bytes_of(folder / "a" / "groups.json"), bytes_of(folder / "b" / "groups.json"));
    const chakra::CommGroups groups = chakra::read_comm_groups(folder / "a" / "groups.json");
    ASSERT_EQ(groups.size(), workload.groups().size());
    for (const RankGroup& group : workload.groups()) {
        EXPECT_EQ(groups.at(group.id), group.ranks);
    }
}

}  // namespace
}  // namespace npunet::generators

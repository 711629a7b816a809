// What replicas exchange about gradients and weights, on random plans.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "generators/transformer/training_step.h"
#include "tests/generators/element_bytes.h"
#include "tests/generators/parallel_plans.h"
#include "tests/support/counted_cases.h"

namespace npunet::generators {
namespace {

using chakra::CollectiveType;
using chakra::Node;

/// Over one replica: what tp divides, and what every tp rank holds whole.
std::int64_t dense_parameters(const ModelSpec& model, const Plan& plan) {
    const std::int64_t h = model.hidden;
    const std::int64_t dense = model.moe.experts > 0 ? model.moe.dense_layers_first : model.layers;
    const std::int64_t moe = model.layers - dense;
    const std::int64_t split =
        model.layers * h * (model.qkv_width() + model.query_width()) + dense * 3 * h * model.ffn +
        moe * 3 * h * model.moe.shared_experts * model.moe.ffn + 2 * model.vocab * h;
    const std::int64_t whole = (2 * model.layers + 1) * h + moe * h * model.moe.experts;
    return split + plan.tp * whole;
}

std::int64_t expert_parameters(const ModelSpec& model) {
    return (model.layers - model.moe.dense_layers_first) * model.moe.experts * 3 * model.hidden *
           model.moe.ffn;
}

// P parameters that n ranks replicate, g bytes a gradient, w a weight, m micro-batches. zero 0:
// all-reduce P g; 1 and 2: reduce-scatter P g and all-gather to P w; 3: reduce-scatter P g a
// micro-batch and all-gather to P w twice a micro-batch. Experts over their own replicas. All sizes
// here divide by n.
TEST(Replicas, ExchangeWhatTheyShare) {
    // Scores' biases of a router have neither gradients nor states: they change nothing here.
    ModelSpec biased = small_moe();
    biased.name = "biased-moe";
    biased.moe.router_bias = true;
    const std::vector<ModelSpec> models{small_model(), small_moe(), skewed_moe(), biased};
    const std::size_t plans = test::random_cases(12, 200);  // of each model
    for (const ModelSpec& model : models) {
        for (const Plan& plan : random_plans(model, plans, 3)) {
            const GeneratedWorkload workload = generate(model, plan);
            const auto bytes = [&workload](CollectiveType type, const char* of, bool experts) {
                return sum(workload, "comm_size", [=](const Node& n) {
                    return is_collective(n, type) && contains(n.name, of) &&
                           contains(n.name, "_expert_") == experts &&
                           !contains(n.name, "sequence_parallel") && !contains(n.name, "router");
                });
            };
            SCOPED_TRACE(model.name + " " + full_description(plan));
            const std::int64_t m = plan.zero == 3 ? plan.micro_batches() : 1;
            for (const bool experts : {false, true}) {
                if (experts && model.moe.experts == 0) {
                    continue;
                }
                const std::int64_t n = experts ? plan.expert_replicas() : plan.dp * plan.cp;
                const WideCount parameters =
                    experts ? expert_parameters(model) : dense_parameters(model, plan);
                const WideCount all = n > 1 ? parameters * n : 0;
                EXPECT_TRUE(bytes(CollectiveType::AllReduce, "_gradients_", experts) ==
                            (plan.zero == 0 ? all * fp32 : 0));
                EXPECT_TRUE(bytes(CollectiveType::ReduceScatter, "_gradients_", experts) ==
                            (plan.zero == 0 ? 0 : all * fp32 * m));
                EXPECT_TRUE(bytes(CollectiveType::AllGather, "_weights_", experts) * n ==
                            (plan.zero == 0 ? 0 : all * bf16 * (plan.zero == 3 ? 2 * m : 1)));
            }
            // Adam's work: a shard of everything, or all of it.
            WideCount states = 0;
            states +=
                dense_parameters(model, plan) * (plan.zero > 0 ? 1 : WideCount{plan.dp * plan.cp});
            if (model.moe.experts > 0) {
                states += expert_parameters(model) *
                          (plan.zero > 0 ? 1 : WideCount{plan.expert_replicas()});
            }
            EXPECT_TRUE(sum(workload, "num_ops", [](const Node& n) {
                            return n.name == "optimizer_step";
                        }) == 16 * states);
        }
    }
    test::count_cases(models.size() * plans);
}

// 64 x 96 x 3 + ... does not divide by 3: shards are ceil(P / 3), reduce-scatters stay exact.
TEST(Replicas, PadTheLastShard) {
    Plan plan;
    plan.dp = 3;
    plan.zero = 1;
    const GeneratedWorkload workload = generate(small_model(), plan);
    const std::int64_t layer = 64 * (192 + 128) + 64 * 3 * 96 + 2 * 64;
    ASSERT_NE(layer % 3, 0);
    for (const Node& node : workload.nodes(Rank(2))) {
        if (node.name == "layer1_gradients_reduce_scatter") {
            EXPECT_EQ(node.integer("comm_size"), layer * fp32);
        } else if (node.name == "layer1_weights_all_gather") {
            EXPECT_EQ(node.integer("comm_size"), (layer + 2) / 3 * bf16);
        }
    }
}

/// Positions by name, and whether one node waits for another, over any number of steps.
class Order {
public:
    explicit Order(const Role& role) : role_(role) {}

    [[nodiscard]] bool waits(const std::string& name, const std::string& other) const {
        std::vector<std::size_t> open{position(name)};
        const std::size_t wanted = position(other);
        std::set<std::size_t> seen;
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            for (const std::uint32_t dep : role_.nodes[at].data_deps) {
                if (dep - 1 == wanted) {
                    return true;
                }
                if (seen.insert(dep - 1).second) {
                    open.push_back(dep - 1);
                }
            }
        }
        return false;
    }

private:
    [[nodiscard]] std::size_t position(const std::string& name) const {
        for (std::size_t i = 0; i < role_.nodes.size(); ++i) {
            if (role_.nodes[i].name == name) {
                return i;
            }
        }
        ADD_FAILURE() << "no node " << name;
        return 0;
    }

    const Role& role_;
};

TEST(Replicas, GatherWeightsWhereThePlanSays) {
    Plan plan;
    plan.dp = 2;
    plan.zero = 1;
    {
        const GeneratedWorkload workload = generate(small_model(), plan);
        const Order order(workload.roles().front());
        EXPECT_TRUE(order.waits("layer2_weights_all_gather", "optimizer_step"));
    }
    plan.overlap_param_gather = true;
    {
        const GeneratedWorkload workload = generate(small_model(), plan);
        const Order order(workload.roles().front());
        EXPECT_TRUE(order.waits("mb0_layer2_attention_norm_forward", "layer2_weights_all_gather"));
        EXPECT_FALSE(order.waits("mb0_layer2_attention_norm_forward", "layer3_weights_all_gather"));
        EXPECT_FALSE(order.waits("layer3_weights_all_gather", "mb0_embedding_forward"));
    }
    plan.zero = 3;
    plan.overlap_param_gather = false;
    {
        const GeneratedWorkload workload = generate(small_model(), plan);
        const Order order(workload.roles().front());
        // One unit ahead: beside layer 1's work, after layer 0's.
        EXPECT_TRUE(
            order.waits("mb0_layer2_attention_norm_forward", "mb0_layer2_weights_all_gather"));
        EXPECT_TRUE(
            order.waits("mb0_layer2_weights_all_gather", "mb0_layer0_mlp_residual_forward"));
        EXPECT_FALSE(
            order.waits("mb0_layer2_weights_all_gather", "mb0_layer1_attention_norm_forward"));
        EXPECT_TRUE(order.waits("optimizer_step", "mb0_layer0_gradients_reduce_scatter"));
    }
}

}  // namespace
}  // namespace npunet::generators

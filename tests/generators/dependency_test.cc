#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "generators/transformer/training_step.h"
#include "tests/generators/parallel_plans.h"
#include "tests/generators/rendezvous.h"
#include "tests/generators/steps.h"

namespace npunet::generators::dependency_test {
namespace {

using chakra::NodeType;

// File order is topological: every dependency has a smaller id, and ids ascend from 1.
TEST(Dependencies, PointBackwards) {
    for (const Plan& plan : many_plans()) {
        const GeneratedWorkload workload = generate(small_model(), plan);
        std::uint64_t expected = 0;
        for (const chakra::Node& node : workload.nodes(Rank(0))) {
            EXPECT_EQ(node.id, ++expected);
            for (const std::uint64_t dependency : node.data_deps) {
                EXPECT_GE(dependency, 1U);
                EXPECT_LT(dependency, node.id);
            }
        }
    }
}

/// One compute stream and one stream a communicator: no two of their nodes may run at once.
void expect_order(const GeneratedWorkload& workload) {
    for (const Role& role : workload.roles()) {
        const auto before = ancestors(role);
        std::map<std::int32_t, std::size_t> last;
        for (std::size_t i = 0; i < role.nodes.size(); ++i) {
            const NodeTemplate& node = role.nodes[i];
            if (node.type != NodeType::Compute && node.type != NodeType::CommCollective) {
                continue;
            }
            const std::int32_t stream = node.type == NodeType::Compute ? -1 : node.slot;
            if (const auto previous = last.find(stream); previous != last.end()) {
                EXPECT_TRUE(before[i][previous->second])
                    << node.name << " after " << role.nodes[previous->second].name;
            }
            last[stream] = i;
        }
    }
}

TEST(Dependencies, OrderComputeAndEveryCommunicator) {
    for (const Plan& plan : many_plans()) {
        expect_order(generate(small_gpt(), plan));
    }
    for (const Plan& plan : random_plans(skewed_moe(), 20, 21)) {
        SCOPED_TRACE(full_description(plan));
        expect_order(generate(skewed_moe(), plan));
    }
}

// Nothing is left over: the optimizer waits for every other node of the rank.
TEST(Dependencies, OptimizerStepIsLast) {
    for (const Plan& plan : many_plans()) {
        const GeneratedWorkload workload = generate(small_model(), plan);
        for (const Role& role : workload.roles()) {
            EXPECT_EQ(role.nodes.back().name, "optimizer_step");
            const std::vector<bool> before = ancestors(role).back();
            EXPECT_EQ(std::count(before.begin(), before.end(), false), 1) << describe(plan);
        }
    }
}

// dgrad -> sum of the input gradient, beside wgrad; what follows waits for both.
TEST(Dependencies, InputGradientIsSummedBesideTheWeightGradient) {
    Plan plan;
    plan.tp = 2;
    const GeneratedWorkload workload = generate(small_model(), plan);
    const Role& role = workload.roles().front();
    const auto before = ancestors(role);
    const std::size_t sum = position(role, "mb0_layer1_mlp_up_all_reduce_backward");
    const std::size_t wgrad = position(role, "mb0_layer1_mlp_up_wgrad");
    const std::size_t norm = position(role, "mb0_layer1_mlp_norm_backward");
    EXPECT_TRUE(before[sum][position(role, "mb0_layer1_mlp_up_dgrad")]);
    EXPECT_FALSE(before[wgrad][sum]);
    EXPECT_FALSE(before[sum][wgrad]);
    EXPECT_TRUE(before[norm][sum]);
    EXPECT_TRUE(before[norm][wgrad]);
}

TEST(Dependencies, GradientsAreReducedAfterOrBesideTheBackwardPass) {
    for (const bool overlap : {false, true}) {
        Plan plan;
        plan.dp = 2;
        plan.batch = 6;
        plan.overlap_grad_reduce = overlap;
        const GeneratedWorkload workload = generate(small_model(), plan);
        const Role& role = workload.roles().front();
        const auto before = ancestors(role);
        const std::size_t sum = position(role, "layer3_gradients_all_reduce");
        const std::size_t layer = position(role, "mb2_layer3_attention_residual_backward");
        const std::size_t last = position(role, "mb2_embedding_backward");
        EXPECT_TRUE(before[sum][layer]);
        EXPECT_EQ(before[sum][last], !overlap);
        EXPECT_FALSE(before[last][sum]);
    }
}

// Even where a message needs its receive posted and a collective all members, the step completes.
TEST(Rendezvous, EveryPlanRunsToItsEnd) {
    for (const ModelSpec& model : {small_model(), small_gpt()}) {
        for (const Plan& plan : many_plans()) {
            EXPECT_EQ(unfinished_after_rendezvous(generate(model, plan)), 0) << describe(plan);
        }
    }
}

}  // namespace
}  // namespace npunet::generators::dependency_test

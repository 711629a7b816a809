#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "generators/transformer/training_step.h"
#include "tests/generators/rendezvous.h"
#include "tests/generators/steps.h"

namespace npunet::generators {
namespace {

/// "F0 B0 F1 B1", from the names of a stage's compute nodes; a letter more for chunk 1 ("b"), 2
/// ("c"). With `split`, W stands for gradients of weights.
std::string order_in_trace(const Role& role, const Plan& plan, bool split = false) {
    const std::int64_t chunk_layers = small_model().layers / (plan.pp * plan.vpp);
    std::string order;
    std::string last;
    std::string chunk;
    for (const NodeTemplate& node : role.nodes) {
        if (node.type != chakra::NodeType::Compute || node.name.rfind("mb", 0) != 0) {
            continue;
        }
        const std::string micro_batch = node.name.substr(2, node.name.find('_') - 2);
        if (const std::size_t at = node.name.find("_layer"); at != std::string::npos) {
            const std::int64_t layer = std::stoll(node.name.substr(at + 6));
            const std::int64_t number = layer / chunk_layers / plan.pp;
            chunk = number == 0 ? "" : std::string(1, static_cast<char>('a' + number));
        } else if (contains(node.name, "embedding")) {
            chunk = "";
        } else if (plan.vpp > 1) {
            chunk = std::string(1, static_cast<char>('a' + plan.vpp - 1));  // the head
        }
        const bool weight = split && (contains(node.name, "_wgrad") ||
                                      contains(node.name, "_gradient_accumulation") ||
                                      contains(node.name, "embedding_backward") ||
                                      contains(node.name, "embedding_positions_backward"));
        const bool forward =
            node.name.compare(node.name.rfind('_'), std::string::npos, "_forward") == 0;
        const std::string pass = (weight ? "W" : forward ? "F" : "B") + micro_batch + chunk;
        if (pass != last) {
            order += (order.empty() ? "" : " ") + pass;
            last = pass;
        }
    }
    return order;
}

std::vector<std::string> orders(Schedule schedule, std::int64_t stages, std::int64_t micro_batches,
                                std::int64_t chunks = 1) {
    Plan plan;
    plan.pp = stages;
    plan.vpp = chunks;
    plan.batch = micro_batches;
    plan.schedule = schedule;
    std::vector<std::string> orders;
    const GeneratedWorkload workload = generate(small_model(), plan);
    for (const Role& role : workload.roles()) {
        orders.push_back(order_in_trace(role, plan, schedule == Schedule::ZeroBubble));
    }
    return orders;
}

// Narayanan et al. 2021, figure 4 (top): four stages, eight micro-batches.
TEST(OneForwardOneBackward, IsThePublishedOrder) {
    const std::vector<std::string> published{"F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7",
                                             "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 B6 B7",
                                             "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 B7",
                                             "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7"};
    EXPECT_EQ(orders(Schedule::OneForwardOneBackward, 4, 8), published);
}

TEST(OneForwardOneBackward, ManagesFewerMicroBatchesThanStages) {
    const std::vector<std::string> expected{"F0 F1 B0 B1", "F0 F1 B0 B1", "F0 F1 B0 B1",
                                            "F0 B0 F1 B1"};
    EXPECT_EQ(orders(Schedule::OneForwardOneBackward, 4, 2), expected);
}

TEST(GPipe, RunsAllForwardsFirst) {
    const std::vector<std::string> expected(4, "F0 F1 F2 B0 B1 B2");
    EXPECT_EQ(orders(Schedule::GPipe, 4, 3), expected);
}

// Megatron-LM's table for two stages of two chunks (a, which is not written, and b), worked out by
// hand: forwards 0 1 0b 1b 2 3 2b 3b, backwards 0b 1b 0 1 2b 3b 2 3, warm-up 4 and 2.
TEST(Interleaved, IsMegatronsOrder) {
    const std::vector<std::string> expected{
        "F0 F1 F0b F1b F2 B0b F3 B1b F2b B0 F3b B1 B2b B3b B2 B3",
        "F0 F1 F0b B0b F1b B1b F2 B0 F3 B1 F2b B2b F3b B3b B2 B3"};
    EXPECT_EQ(orders(Schedule::Interleaved, 2, 4, 2), expected);
}

// Qi et al. 2023: the order of 1F1B, the weight gradients of stage p behind by p micro-batches.
TEST(ZeroBubble, IsThePublishedOrder) {
    const std::vector<std::string> expected{"F0 F1 B0 W0 F2 B1 W1 F3 B2 W2 B3 W3",
                                            "F0 B0 F1 B1 W0 F2 B2 W1 F3 B3 W2 W3"};
    EXPECT_EQ(orders(Schedule::ZeroBubble, 2, 4), expected);
}

std::vector<Plan> plans_of_every_schedule() {
    std::vector<Plan> plans;
    for (const auto& [name, schedule] : schedules()) {
        for (const std::int64_t tp : {1, 2}) {
            for (const bool option : {false, true}) {
                Plan plan;
                plan.dp = 2;
                plan.tp = tp;
                plan.pp = 2;
                plan.vpp = schedule == Schedule::Interleaved ? 2 : 1;
                plan.batch = 12;
                plan.schedule = schedule;
                plan.sequence_parallel = option;
                plan.overlap_grad_reduce = option;
                plans.push_back(resolve_plan(small_model(), plan));
            }
        }
    }
    return plans;
}

// The work is the same in every order: only when it is done differs.
TEST(Schedules, DoTheSameWork) {
    const std::vector<Plan> plans = plans_of_every_schedule();
    const std::size_t variants = plans.size() / schedules().size();
    for (std::size_t i = variants; i < plans.size(); ++i) {
        const WorkloadTotals expected = totals_of(generate(small_gpt(), plans[i % variants]));
        const WorkloadTotals found = totals_of(generate(small_gpt(), plans[i]));
        EXPECT_EQ(found.flops, expected.flops);
        ASSERT_EQ(found.traffic.size(), expected.traffic.size());
        for (std::size_t kind = 0; kind < found.traffic.size(); ++kind) {
            if (found.traffic[kind].kind != "point-to-point") {
                EXPECT_EQ(found.traffic[kind].bytes, expected.traffic[kind].bytes);
            }
        }
    }
}

// Even where a message needs its receive posted, every order runs to its end.
TEST(Schedules, RunToTheirEnd) {
    for (const Plan& plan : plans_of_every_schedule()) {
        EXPECT_EQ(unfinished_after_rendezvous(generate(small_gpt(), plan)), 0)
            << name_of(plan.schedule) << ' ' << describe(plan);
    }
}

// Each of the pp vpp - 1 boundaries is crossed by every micro-batch once in each direction, by a
// message with a tag of its own; with several chunks the last stage sends to the first one.
TEST(Schedules, CrossEveryBoundaryOnceInEachDirection) {
    for (const std::int64_t chunks : {1, 2}) {
        Plan plan;
        plan.pp = 2;
        plan.vpp = chunks;
        plan.dp = 2;
        plan.batch = 8;
        plan.schedule = chunks > 1 ? Schedule::Interleaved : Schedule::ZeroBubble;
        const GeneratedWorkload workload = generate(small_model(), plan);
        std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> sends;
        std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> receives;
        std::size_t messages = 0;
        for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
            for (const chakra::Node& node : workload.nodes(Rank(r))) {
                if (node.type == chakra::NodeType::CommSend ||
                    node.type == chakra::NodeType::CommReceive) {
                    ++messages;
                    (node.type == chakra::NodeType::CommSend ? sends : receives)
                        .insert({*node.integer("comm_src"), *node.integer("comm_dst"),
                                 *node.integer("comm_tag")});
                }
            }
        }
        EXPECT_EQ(sends, receives);
        EXPECT_EQ(messages, 2 * sends.size());
        const std::int64_t expected = 2 * plan.dp * 4 * (plan.pp * plan.vpp - 1);
        EXPECT_EQ(sends.size(), static_cast<std::size_t>(expected));
    }
}

// The gradient of the input goes on, and out, without waiting for those of the weights; the sum of
// a unit's gradients waits for its weight gradients of the last micro-batch.
TEST(ZeroBubble, PutsWeightGradientsOff) {
    Plan plan;
    plan.pp = 2;
    plan.dp = 2;
    plan.tp = 2;
    plan.batch = 8;
    plan.schedule = Schedule::ZeroBubble;
    plan.overlap_grad_reduce = true;
    const GeneratedWorkload workload = generate(small_model(), plan);
    const Role& role = workload.roles()[1];
    const auto before = ancestors(role);
    const std::size_t weights = position(role, "mb3_layer3_mlp_up_wgrad");
    EXPECT_FALSE(before[position(role, "mb3_layer2_attention_qkv_dgrad")][weights]);
    EXPECT_FALSE(before[position(role, "mb3_backward_send")][weights]);
    EXPECT_TRUE(before[weights][position(role, "mb3_layer3_mlp_up_dgrad")]);
    EXPECT_TRUE(before[position(role, "layer3_gradients_all_reduce")][weights]);
    EXPECT_TRUE(before[position(role, "layer3_gradients_all_reduce")]
                      [position(role, "mb3_layer3_attention_qkv_wgrad")]);
    EXPECT_FALSE(before[position(role, "layer3_gradients_all_reduce")]
                       [position(role, "mb3_layer2_mlp_up_wgrad")]);
}

bool ends_the_step(const std::string& name) {
    return name == "gradient_norm" || name == "gradient_clipping" || name == "optimizer_step";
}

// A pass waits for what it receives, not for what the stage sends.
TEST(Schedules, PassesDoNotWaitForSends) {
    for (const Plan& plan : plans_of_every_schedule()) {
        const GeneratedWorkload workload = generate(small_model(), plan);
        for (const Role& role : workload.roles()) {
            const auto before = ancestors(role);
            for (std::size_t i = 0; i < role.nodes.size(); ++i) {
                if (role.nodes[i].type != chakra::NodeType::Compute ||
                    ends_the_step(role.nodes[i].name)) {
                    continue;
                }
                for (std::size_t j = 0; j < i; ++j) {
                    EXPECT_FALSE(before[i][j] && role.nodes[j].type == chakra::NodeType::CommSend)
                        << role.nodes[i].name << " waits for " << role.nodes[j].name;
                }
            }
        }
    }
}

}  // namespace
}  // namespace npunet::generators

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "generators/transformer/pipeline_schedule.h"
#include "generators/transformer/training_step.h"
#include "tests/generators/steps.h"

namespace npunet::generators {
namespace {

/// "F0 B0 F1 B1", from the names of a stage's compute nodes.
std::string order_in_trace(const Role& role) {
    std::string order;
    std::string last;
    for (const NodeTemplate& node : role.nodes) {
        if (node.type != chakra::NodeType::Compute || node.name.rfind("mb", 0) != 0) {
            continue;
        }
        const std::string micro_batch = node.name.substr(2, node.name.find('_') - 2);
        const bool forward =
            node.name.compare(node.name.rfind('_'), std::string::npos, "_forward") == 0;
        const std::string pass = (forward ? "F" : "B") + micro_batch;
        if (pass != last) {
            order += (order.empty() ? "" : " ") + pass;
            last = pass;
        }
    }
    return order;
}

std::vector<std::string> orders(Schedule schedule, std::int64_t stages,
                                std::int64_t micro_batches) {
    Plan plan;
    plan.pp = stages;
    plan.batch = micro_batches;
    plan.schedule = schedule;
    std::vector<std::string> orders;
    const GeneratedWorkload workload = generate(small_model(), plan);
    for (const Role& role : workload.roles()) {
        orders.push_back(order_in_trace(role));
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

// In flight: forwards begun less backwards done. 1F1B holds at most min(m, pp - stage).
TEST(OneForwardOneBackward, BoundsTheMicroBatchesInFlight) {
    for (std::int64_t stages = 1; stages <= 6; ++stages) {
        for (std::int64_t micro_batches = 1; micro_batches <= 9; ++micro_batches) {
            for (std::int64_t stage = 0; stage < stages; ++stage) {
                std::int64_t in_flight = 0;
                std::int64_t most = 0;
                for (const PipelineAction& action : pipeline_actions(
                         Schedule::OneForwardOneBackward, stage, stages, micro_batches)) {
                    in_flight += action.kind == ActionKind::Forward ? 1 : 0;
                    most = std::max(most, in_flight);
                    in_flight -= action.kind == ActionKind::Backward ? 1 : 0;
                }
                EXPECT_EQ(in_flight, 0);
                EXPECT_EQ(most, std::min(micro_batches, stages - stage));
            }
        }
    }
}

}  // namespace
}  // namespace npunet::generators

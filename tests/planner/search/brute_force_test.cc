// The brute force against plans whose number and cost are worked out by hand.
#include "tests/planner/search/brute_force.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/planner/search/hand_problems.h"

namespace npunet::test {
namespace {

using planner::LayerProfile;
using planner::ProfileSet;

int plans_as_nodes_stand(const BruteProblem& problem) {
    int plans = 0;
    for_each_plan(problem, [&](const BrutePlan& /*plan*/) { ++plans; });
    return plans;
}

void expect_costs(const std::vector<double>& costs, const std::vector<double>& expected) {
    ASSERT_EQ(costs.size(), expected.size());
    for (std::size_t i = 0; i < costs.size(); ++i) {
        EXPECT_NEAR(costs[i], expected[i], 1e-9) << "plan " << i;
    }
}

// One device has one stage: m of them take m t + U. b = 2: 5 + 8 + 1 + 4 = 18; the negative gap
// does not count. b = 1: 2 (3 + 5 + 1 + 2) + 4 = 26.
TEST(BruteForce, OneDevice) {
    const ProfileSet profiles = two_layers();
    const BruteProblem problem = problem_of({node_of(1)}, 2, 2, profiles);
    expect_costs(best_costs(problem, 10), {18, 26});
    expect_costs(best_costs(problem, 1), {18});
}

// Two nodes of one device. One stage, dp = 2: t = 11, D = 2 (1/2) 4/100 + 2 (0.5) = 1.04, U = 4.
// Two stages with m = 1: T = 5 + 1 + 2 (2 + 0.5) and 8, U = 3: 22. With m = 2: T = 3 + 1 + 2 (1 +
// 0.5) and 5 + 2, so 7 + 14 + 3 = 24. The latter two exist twice.
TEST(BruteForce, TwoNodes) {
    const ProfileSet profiles = two_layers();
    BruteNode node = node_of(1);
    node.inter_latency_ms = 0.5;
    BruteProblem problem = problem_of({node, node}, 2, 2, profiles);
    expect_costs(best_costs(problem, 10), {16.04, 22, 24});
    EXPECT_EQ(number_of_plans(problem), 3U);
    EXPECT_EQ(plans_as_nodes_stand(problem), 5);
    problem.one_forward_one_backward = false;
    EXPECT_EQ(number_of_plans(problem), 0U);
}

// Two stages in one node: c = 200/50 + 0.1 whatever the rate between nodes is: T = 6 + 2 (4.1) and
// 8, U = 3.
TEST(BruteForce, StagesInOneNode) {
    const ProfileSet profiles = two_layers();
    BruteNode node = node_of(2);
    node.intra_rate = 50;
    node.intra_latency_ms = 0.1;
    const BruteProblem problem = problem_of({node}, 2, 2, profiles);
    const BrutePlan plan{1, 1, {{{1}, 1, 1, 0, 1}, {{1}, 1, 1, 1, 1}}};
    EXPECT_NEAR(step_ms(problem, plan), 25.2, 1e-9);
}

// One stage with two replicas of one sample: the transfer is still that of two samples. Where it is
// the second, T = 6 + 8.2 and 5 + 2, D = 2 (1/2) 3/50 + 2 x 0.1 and U = 3 there; where it is the
// first, T = 3 + 1 + 8.2 and 8, and U = 3 in the second exceeds D + U = 0.22 + 1 in the first.
TEST(BruteForce, UnequalBatchesInOneNode) {
    const ProfileSet profiles = two_layers();
    BruteNode node = node_of(3);
    node.intra_rate = 50;
    node.intra_latency_ms = 0.1;
    const BruteProblem problem = problem_of({node}, 2, 2, profiles);
    const BrutePlan plan{1, 1, {{{1}, 1, 1, 0, 1}, {{2}, 1, 2, 1, 1}}};
    EXPECT_NEAR(step_ms(problem, plan), 24.46, 1e-9);
    const BrutePlan exchanged{1, 1, {{{2}, 1, 2, 0, 1}, {{1}, 1, 1, 1, 1}}};
    EXPECT_NEAR(step_ms(problem, exchanged), 23.2, 1e-9);
}

// One node of 4 devices, G = 2. With 3 layers: S = 1 has (tp, dp) = (4, 1) with m = 1, 2 and (2, 2)
// with m = 1: 3. S = 2 has 2 + 2 devices (3 is no power of two), 4 + 1 choices of dp and m, 2 of
// layers: 10. S = 3 has 3 orders of 2 + 1 + 1, 2 + 1 choices: 9. With 4 layers: 3 + 5 x 3 + 9 x 3 +
// 2 (S = 4), and interleaved only v = S = m = 2.
TEST(BruteForce, CountsPlansOfOneNode) {
    const ProfileSet three = all_profiles(3);
    EXPECT_EQ(number_of_plans(problem_of({node_of(4)}, 3, 2, three)), 22U);
    const ProfileSet four = all_profiles(4);
    BruteProblem problem = problem_of({node_of(4)}, 4, 2, four);
    EXPECT_EQ(number_of_plans(problem), 48U);
    problem.interleaved = false;
    EXPECT_EQ(number_of_plans(problem), 47U);
    problem.interleaved = true;
    problem.one_forward_one_backward = false;
    EXPECT_EQ(number_of_plans(problem), 1U);
}

// Two equal nodes of 2 devices, 2 layers, G = 6. S = 1: tp = 2 with m = 1, 3 (tp = 4 is more than a
// node, dp = 4 does not divide 6): 2. S = 2 of whole nodes: m = 1, 2, 3, 6 where both dp = 1, else
// m = 1, 3: 10, and as many with the nodes exchanged. S = 2 of a node and a half (tp = 1, dp = 3)
// and a half: m = 1, 2, in two orders: 4, and as many exchanged. Both nodes split: two parts in a
// stage.
TEST(BruteForce, CountsPlansOfEqualNodesOnce) {
    const ProfileSet profiles = all_profiles(2);
    BruteProblem problem = problem_of({node_of(2), node_of(2)}, 2, 6, profiles);
    EXPECT_EQ(number_of_plans(problem), 16U);
    EXPECT_EQ(plans_as_nodes_stand(problem), 30);
    problem.nodes[1].inter_latency_ms = 1;
    EXPECT_EQ(number_of_plans(problem), 30U);
}

// Three groups of 2 on two nodes of 3: one group has a device on each. Each of the two layers takes
// 4 x 2 (1/2) 100 (1/100 - 1/1000) = 3.6 ms more than its 3 or 4; the gradients take 2 (2/3)
// 600/100 + 2 x 2 x 0.25 = 9 ms. Where the rate between nodes is higher than inside them: 7 ms, and
// 2 (2/3) 600/2/1000 + 1.
TEST(BruteForce, GroupAcrossNodes) {
    LayerProfile only = profile("A", 2, 1, {3, 4});
    only.parameter_bytes = {200, 400};
    const ProfileSet profiles({only}, "one");
    BruteNode node = node_of(3);
    node.inter_latency_ms = 0.25;
    BruteProblem problem = problem_of({node, node}, 2, 3, profiles);
    expect_costs(best_costs(problem, 10), {23.2});
    problem.nodes[0].inter_rate = problem.nodes[1].inter_rate = 3000;
    expect_costs(best_costs(problem, 10), {8.4});
}

/// A node of 4 As, and one of 4 Bs with slower links.
std::vector<BruteNode> unlike_nodes() {
    BruteNode first = node_of(4);
    first.inter_latency_ms = 0.5;
    BruteNode second = node_of(4);
    second.type = 1;
    second.intra_rate = 400;
    second.inter_rate = 50;
    second.inter_latency_ms = 0.25;
    return {first, second};
}

// 4 As and 2 of 4 Bs, tp = 3; the other 2 Bs, tp = 2, b = 2.
//   computing   max(5 + 1, 8 + 0.5) + 8 (2/3) 100 (1/50 - 1/400) = 8.5 + 28/3, and 6 + 1
//   transfer    max(4 x 100/3/100 + 0.5, 2 x 100/3/50 + 0.25, 2 x 2 x 100/2/50 + 0.25) = 4.25
//   gradients   max(300/100, (2/3) 300/50) + 2 x 0.5 = 5, optimizer max(4, 8) x 3/4
// In all 8.5 + 28/3 + 8.5 + 7 + 11.
TEST(BruteForce, MixedStageWithPartOfANode) {
    LayerProfile a = profile("A", 3, 1, {5, 9});
    a.batch_generator_ms = 1;
    a.optimizer_ms = 4;
    LayerProfile b = profile("B", 3, 1, {8, 9});
    b.batch_generator_ms = 0.5;
    b.optimizer_ms = 8;
    LayerProfile last = profile("B", 2, 2, {4, 6});
    last.forward_backward_ms = 11;
    last.optimizer_ms = 8;
    for (LayerProfile* each : {&a, &b, &last}) {
        each->parameter_bytes = {300, 100};
    }
    const ProfileSet profiles({a, b, last}, "mixed");
    const BruteProblem problem = problem_of(unlike_nodes(), 2, 2, profiles);
    const BrutePlan plan{1, 1, {{{4, 2}, 3, 2, 0, 1}, {{0, 2}, 2, 1, 1, 1}}};
    EXPECT_NEAR(step_ms(problem, plan), 35 + 28.0 / 3, 1e-9);
    int visits = 0;
    for_each_plan(problem, [&](const BrutePlan& visited) {
        visits += text_of(visited) == text_of(plan) ? 1 : 0;
    });
    EXPECT_EQ(visits, 1);
}

// r = 2 (1 + 0.5) = 3. T = 1 + 3 + 1 + 2 x 3 + 3 = 14 and 2 + 4 + 0.5; U = 4/2.
// (2 - 1/2) 14 + 20.5/2 + 2 = 33.25.
TEST(BruteForce, InterleavedStages) {
    LayerProfile only = profile("A", 1, 1, {1, 2, 3, 4});
    only.batch_generator_ms = 1;
    only.forward_backward_ms = 10.5;
    only.optimizer_ms = 4;
    const ProfileSet profiles({only}, "one");
    BruteNode node = node_of(1);
    node.inter_latency_ms = 0.5;
    BruteProblem problem = problem_of({node, node}, 4, 2, profiles);
    problem.one_forward_one_backward = false;
    expect_costs(best_costs(problem, 10), {33.25});
    EXPECT_NEAR(step_ms(problem, interleaved_plan), 33.25, 1e-9);
}

// Between a node of 50 bytes/ms and one of 100 the slower one counts, first or second: c = 200/50.
TEST(BruteForce, SlowerSideOfATransfer) {
    const ProfileSet profiles = two_layers();
    BruteProblem problem = problem_of({node_of(1), node_of(1)}, 2, 2, profiles);
    problem.nodes[0].inter_rate = 50;
    const BrutePlan slow_first{1, 1, {{{1, 0}, 1, 1, 0, 1}, {{0, 1}, 1, 1, 1, 1}}};
    const BrutePlan slow_last{1, 1, {{{0, 1}, 1, 1, 0, 1}, {{1, 0}, 1, 1, 1, 1}}};
    EXPECT_NEAR(step_ms(problem, slow_first), 6 + 8 + 8 + 3, 1e-9);
    EXPECT_NEAR(step_ms(problem, slow_last), 6 + 8 + 8 + 3, 1e-9);
}

// Groups of 2 on nodes of 3, 3 and 2: the last node's group is its own, yet 3 + 4 + 2 x 3.6 ms;
// D = 2 (3/4) 600/100 + 2 x 3 x 0.25.
TEST(BruteForce, GroupAcrossSomeOfTheNodes) {
    LayerProfile only = profile("A", 2, 1, {3, 4});
    only.parameter_bytes = {200, 400};
    const ProfileSet profiles({only}, "one");
    std::vector<BruteNode> nodes{node_of(3), node_of(3), node_of(2)};
    for (BruteNode& node : nodes) {
        node.inter_latency_ms = 0.25;
    }
    const BruteProblem problem = problem_of(nodes, 2, 4, profiles);
    const BrutePlan plan{1, 1, {{{3, 3, 2}, 2, 4, 0, 2}}};
    EXPECT_NEAR(step_ms(problem, plan), 14.2 + 10.5, 1e-9);
}

// It is the devices of the stage that a group divides: 2 of a node of 3, and a node of 2, are two
// groups. T = 3 + 2 max(2 x 100/2/100, 200/100) and 8; D = 2 (1/2) 1/100.
TEST(BruteForce, GroupInPartOfANode) {
    const ProfileSet profiles({profile("A", 2, 1, {3, 4}), profile("A", 1, 2, {5, 8})}, "two");
    const BruteProblem problem = problem_of({node_of(3), node_of(2)}, 2, 2, profiles);
    const BrutePlan plan{1, 1, {{{2, 2}, 2, 2, 0, 1}, {{1, 0}, 1, 1, 1, 1}}};
    EXPECT_NEAR(step_ms(problem, plan), 15.01, 1e-9);
}

// Both chunks of a stage with such a group take longer: t = 2 (1 + 3.6). c = max(3 x 100/2/100,
// 2 x 300/2/100) = 3, T = 9.2 + 2 x 6 + 6 and 2, D = 2 (2/3) 2/100; 1.5 x 27.2 + 29.2/2 + D.
TEST(BruteForce, InterleavedGroupAcrossNodes) {
    const ProfileSet profiles = all_profiles(4);
    const BruteProblem problem = problem_of({node_of(3), node_of(3), node_of(2)}, 4, 6, profiles);
    const BrutePlan plan{2, 2, {{{3, 3, 0}, 2, 3, 0, 1}, {{0, 0, 2}, 2, 1, 1, 1}}};
    EXPECT_NEAR(step_ms(problem, plan), 55.4 + 0.08 / 3, 1e-9);
}

// Two replicas of two devices in one node: D = 2 (1/2) 600/2/1000 + 2 x 0.1, whatever leads out.
TEST(BruteForce, GradientsInOneNode) {
    LayerProfile only = profile("A", 2, 1, {7});
    only.parameter_bytes = {600};
    const ProfileSet profiles({only}, "one");
    BruteNode node = node_of(4);
    node.inter_rate = 1;
    node.inter_latency_ms = 9;
    node.intra_latency_ms = 0.1;
    expect_costs(best_costs(problem_of({node}, 1, 2, profiles), 10), {7.5});
}

}  // namespace
}  // namespace npunet::test

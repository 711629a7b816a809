// The memory that plans take, and the plans that it excludes, against plans worked out by hand.
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "tests/planner/search/brute_force.h"
#include "tests/planner/search/hand_problems.h"

namespace npunet::test {
namespace {

using planner::LayerProfile;
using planner::ProfileSet;

/// The memory of one sample and of two, and maybe the part of a further micro-batch.
ProfileSet with_memory(std::vector<double> one, std::vector<double> two,
                       const std::vector<double>& activations) {
    const std::vector<double> ms(one.size(), 1);
    LayerProfile first = profile("A", 1, 1, ms);
    LayerProfile second = profile("A", 1, 2, ms);
    first.layer_memory_mib = std::move(one);
    second.layer_memory_mib = std::move(two);
    first.layer_activation_mib = second.layer_activation_mib = activations;
    return {{first, second}, "memory"};
}

/// Whether the plan fits with devices of just this memory and not with less. Devices of the other
/// node have plenty.
void expect_memory(BruteProblem problem, const BrutePlan& plan, std::size_t node, double mib) {
    for (BruteNode& each : problem.nodes) {
        each.memory_mib = 1e9;
    }
    problem.nodes[node].memory_mib = mib;
    EXPECT_TRUE(fits_in_memory(problem, plan)) << mib;
    problem.nodes[node].memory_mib = mib - 0.01;
    EXPECT_FALSE(fits_in_memory(problem, plan)) << mib;
}

// Of m = 2 micro-batches in two stages of 1F1B the first has both in flight: 10 + 4 MiB; the last
// has one: 12 MiB. Without activations in the profile a further micro-batch of one sample takes
// what a second sample takes, 16 - 10, and a micro-batch of two twice that; m = 1 has only one in
// flight.
TEST(BruteMemory, MemoryOfMicroBatchesInFlight) {
    const BrutePlan two{2, 1, {{{1, 0}, 1, 1, 0, 1}, {{0, 1}, 1, 1, 1, 1}}};
    const BrutePlan one{1, 1, two.stages};
    const ProfileSet given = with_memory({10, 12}, {16, 12}, {4, 4});
    const ProfileSet by_slope = with_memory({10, 12}, {16, 12}, {});
    BruteProblem problem = problem_of({node_of(1), node_of(1)}, 2, 2, given);
    expect_memory(problem, two, 0, 14);
    expect_memory(problem, two, 1, 12);
    expect_memory(problem, one, 0, 16);
    problem.memory_factor = 1.5;
    expect_memory(problem, two, 0, 21);
    problem = problem_of({node_of(1), node_of(1)}, 2, 2, by_slope);
    expect_memory(problem, two, 0, 16);
    problem.gbs = 4;
    expect_memory(problem, two, 0, 16 + 12);
}

// v = m = S = 2: min(4, 5)/2 = 2 micro-batches in flight in the first stage, 3/2 in the last.
// Layers 0 and 2 hold 10 + 30, layers 1 and 3 hold 20 + 40; a further micro-batch 2 a layer.
TEST(BruteMemory, MemoryOfInterleavedStages) {
    const ProfileSet profiles = with_memory({10, 20, 30, 40}, {10, 20, 30, 40}, {2, 2, 2, 2});
    const BruteProblem problem = problem_of({node_of(1), node_of(1)}, 4, 2, profiles);
    expect_memory(problem, interleaved_plan, 0, 44);
    expect_memory(problem, interleaved_plan, 1, 62);
}

// Memory that falls with the batch has no negative slope; a batch of 3 has no half.
TEST(BruteMemory, NoSlopeNoActivations) {
    const ProfileSet falling = with_memory({10, 10}, {8, 8}, {});
    const BrutePlan two{2, 1, {{{1, 0}, 1, 1, 0, 1}, {{0, 1}, 1, 1, 1, 1}}};
    expect_memory(problem_of({node_of(1), node_of(1)}, 2, 2, falling), two, 0, 10);
    expect_memory(problem_of({node_of(1), node_of(1)}, 2, 4, falling), two, 0, 8);
    std::vector<LayerProfile> odd = with_memory({10, 10}, {12, 12}, {}).all();
    odd.push_back(profile("A", 1, 3, {1, 1}));
    odd.back().layer_memory_mib = {15, 15};
    const ProfileSet profiles(odd, "odd");
    expect_memory(problem_of({node_of(1), node_of(1)}, 2, 6, profiles), two, 0, 15);
}

// Each node of a mixed stage has what its type's profile says: 10 MiB and 20.
TEST(BruteMemory, MemoryOfMixedStage) {
    LayerProfile a = profile("A", 1, 1, {1});
    LayerProfile b = profile("B", 1, 1, {1});
    a.layer_memory_mib = {10};
    b.layer_memory_mib = {20};
    const ProfileSet profiles({a, b}, "mixed");
    BruteNode second = node_of(1);
    second.type = 1;
    const BruteProblem problem = problem_of({node_of(1), second}, 1, 2, profiles);
    const BrutePlan plan{1, 1, {{{1, 1}, 1, 2, 0, 1}}};
    expect_memory(problem, plan, 0, 10);
    expect_memory(problem, plan, 1, 20);
}

// Plans that do not fit are counted and not visited.
TEST(BruteMemory, MemoryExcludesPlans) {
    const ProfileSet profiles = with_memory({10, 10}, {16, 16}, {4, 4});
    BruteProblem problem = problem_of({node_of(1), node_of(1)}, 2, 2, profiles);
    for (BruteNode& node : problem.nodes) {
        node.memory_mib = 14;
    }
    EXPECT_EQ(number_of_plans(problem), 3U);
    EXPECT_EQ(best_costs(problem, 10).size(), 1U);
}

}  // namespace
}  // namespace npunet::test

// Every plan of docs/planner.md for a small cluster, by plain enumeration, with its cost:
// what the planner's search is tested against. Written from that page alone; it shares nothing with
// the search.
//
//     for_each_plan(problem, [&](const BrutePlan& plan) { ... plan.step_ms ... });
//     std::vector<double> ten_least = best_costs(problem, 10);
//
// Nodes are named one by one and no two plans are ever merged, skipped or bounded, so it takes
// exponential time: for 1 to 4 nodes of some 12 devices in all, and up to 6 layers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "planner/profile.h"

namespace npunet::test {

struct BruteNode {
    int type = 0;  ///< place in BruteProblem::types
    int devices = 1;
    double memory_mib = 0;  ///< of a device
    double intra_rate = 0;  ///< bytes per ms
    double inter_rate = 0;  ///< bytes per ms
    double intra_latency_ms = 0;
    double inter_latency_ms = 0;

    bool operator==(const BruteNode&) const = default;
};

struct BruteProblem {
    std::vector<std::string> types;
    std::vector<BruteNode> nodes;
    int layers = 1;
    int gbs = 1;
    double sequence = 1;
    double hidden = 1;
    double activation_bytes = 2;
    double memory_factor = 1;
    /// Not owned. Every profile has times, memory and parameters of all layers.
    const planner::ProfileSet* profiles = nullptr;
    bool one_forward_one_backward = true;  ///< visit plans with v = 1
    bool interleaved = true;               ///< visit plans with v > 1
};

struct BruteStage {
    std::vector<int> devices;  ///< on each node of the problem
    int tp = 1;
    int dp = 1;
    int first = 0;  ///< layer of the round
    int count = 0;  ///< layers of the round
};

struct BrutePlan {
    int m = 1;
    int v = 1;
    std::vector<BruteStage> stages;
    double step_ms = 0;
};

using PlanVisitor = std::function<void(const BrutePlan&)>;

/// Calls the visitor for every plan that fits in memory. Plans that differ by an exchange of equal
/// nodes are visited each.
void for_each_plan(const BruteProblem& problem, const PlanVisitor& visitor);

/// The same with one plan of those that an exchange of equal nodes maps to each other: the one
/// where equal nodes have their devices per stage in lexicographic order.
void for_each_distinct_plan(const BruteProblem& problem, const PlanVisitor& visitor);

/// The least costs of distinct plans, ascending: k of them, or all where there are fewer.
std::vector<double> best_costs(const BruteProblem& problem, std::size_t k);

/// Distinct plans, those included that do not fit in memory.
std::uint64_t number_of_plans(const BruteProblem& problem);

/// The cost of a plan; plan.step_ms is not read.
double step_ms(const BruteProblem& problem, const BrutePlan& plan);

/// Whether every stage of the plan fits in the memory of its nodes.
bool fits_in_memory(const BruteProblem& problem, const BrutePlan& plan);

/// "m=4 v=1 | 0:2,1:4 tp=2 dp=3 layers 0-2 | ...", node:devices, for messages of tests.
std::string text_of(const BrutePlan& plan);

}  // namespace npunet::test

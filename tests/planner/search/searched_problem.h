// A random problem in the planner's own terms.
#pragma once

#include <map>
#include <utility>

#include "planner/search/problem.h"
#include "tests/planner/search/brute_force.h"

namespace npunet::test {

/// Plans that need missing profiles are left out, as the brute force does.
inline planner::Problem searched(const BruteProblem& problem) {
    planner::Cluster cluster;
    std::map<int, std::size_t> types;  // problems may name types that no node has
    for (const BruteNode& node : problem.nodes) {
        const auto [type, is_new] = types.emplace(node.type, types.size());
        if (is_new) {
            cluster.types.push_back(problem.types[static_cast<std::size_t>(node.type)]);
        }
        cluster.nodes.push_back({"", type->second, node.devices, node.memory_mib, node.intra_rate,
                                 node.inter_rate, node.intra_latency_ms, node.inter_latency_ms});
    }
    planner::TrainingModel model;
    model.layers = problem.layers;
    model.global_batch = problem.gbs;
    model.hidden = problem.hidden;
    model.sequence = problem.sequence;
    model.activation_bytes = problem.activation_bytes;
    model.memory_factor = problem.memory_factor;
    model.skip_missing_profiles = true;
    return {std::move(cluster), *problem.profiles, model, "made"};
}

}  // namespace npunet::test

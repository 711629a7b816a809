// Profiles, nodes and problems small enough to work out by hand.
//
//     const ProfileSet profiles = two_layers();
//     best_costs(problem_of({node_of(1)}, 2, 2, profiles), 10)    // 18 and 26 ms
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "planner/profile.h"
#include "tests/planner/search/brute_force.h"

namespace npunet::test {

/// Layers of one parameter and no memory each; nothing between the layers.
inline planner::LayerProfile profile(const char* type, int tp, int batch,
                                     std::vector<double> layer_ms) {
    planner::LayerProfile made;
    made.file_name = std::string(type) + std::to_string(tp) + "_" + std::to_string(batch);
    made.type = type;
    made.tp = tp;
    made.batch = batch;
    made.layer_ms = std::move(layer_ms);
    made.layer_memory_mib.assign(made.layer_ms.size(), 0);
    made.parameter_bytes.assign(made.layer_ms.size(), 1);
    for (const double ms : made.layer_ms) {
        made.forward_backward_ms += ms;
    }
    return made;
}

/// Of every tp and batch up to 6, each layer taking 1 ms.
inline planner::ProfileSet all_profiles(int layers) {
    std::vector<planner::LayerProfile> profiles;
    for (int tp = 1; tp <= 6; ++tp) {
        for (int batch = 1; batch <= 6; ++batch) {
            profiles.push_back(
                profile("A", tp, batch, std::vector<double>(static_cast<std::size_t>(layers), 1)));
        }
    }
    return {std::move(profiles), "all"};
}

/// Layers of 3 and 5 ms with a gap of 2 ms for one sample; of 5 and 8 ms and no gap for two.
inline planner::ProfileSet two_layers() {
    planner::LayerProfile one = profile("A", 1, 1, {3, 5});
    planner::LayerProfile two = profile("A", 1, 2, {5, 8});
    one.forward_backward_ms = 10;
    two.forward_backward_ms = 12;
    for (planner::LayerProfile* each : {&one, &two}) {
        each->optimizer_ms = 4;
        each->batch_generator_ms = 1;
        each->parameter_bytes = {1, 3};
    }
    return {{one, two}, "two layers"};
}

/// Stages of one device and of layers 0 and 2, and 1 and 3.
inline const BrutePlan interleaved_plan{2, 2, {{{1, 0}, 1, 1, 0, 1}, {{0, 1}, 1, 1, 1, 1}}};

/// 1000 bytes/ms inside a node and 100 between nodes.
inline BruteNode node_of(int devices) {
    BruteNode node;
    node.devices = devices;
    node.memory_mib = 1;
    node.intra_rate = 1000;
    node.inter_rate = 100;
    return node;
}

/// A sample's activations are 100 bytes.
inline BruteProblem problem_of(std::vector<BruteNode> nodes, int layers, int gbs,
                               const planner::ProfileSet& profiles) {
    BruteProblem problem;
    problem.types = {"A", "B"};
    problem.nodes = std::move(nodes);
    problem.layers = layers;
    problem.gbs = gbs;
    problem.sequence = 10;
    problem.hidden = 5;
    problem.activation_bytes = 2;
    problem.profiles = &profiles;
    return problem;
}

}  // namespace npunet::test

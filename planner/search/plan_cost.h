// What a step of a plan takes, part by part; and the formulas that the search shares with it.
//
//     PlanCost cost = cost_of(problem, plan);
//
// docs/planner.md states the formulas and their sources.
#pragma once

#include <cstdint>

#include "planner/search/plan.h"
#include "planner/search/problem.h"

namespace npunet::planner {

/// Requires a plan of the problem's space (profiles exist, layers in range).
[[nodiscard]] PlanCost cost_of(const Problem& problem, const Plan& plan);

/// Chunks of micro-batches in flight at most in stage s of S: min(m, S - s) in 1F1B,
/// min(m v, 2 (S-1-s) + (v-1) S + 1) interleaved (Narayanan et al. 2021).
[[nodiscard]] std::int64_t chunks_in_flight(std::int64_t micro_batches, std::int64_t chunks,
                                            std::int64_t stages, std::int64_t stage);

/// MiB of a device with the profile, for layers [first, first + count) of every round.
[[nodiscard]] double memory_of(const Problem& problem, const ProfileSums& sums, std::int64_t chunks,
                               std::int64_t first, std::int64_t count, std::int64_t in_flight);

/// ms a micro-batch of layers [first, first + count) of every round, with the extras of the first
/// and the last stage.
[[nodiscard]] double computing_ms(const Problem& problem, const ProfileSums& sums,
                                  std::int64_t chunks, std::int64_t first, std::int64_t count);

/// Bytes of the parameters of these layers.
[[nodiscard]] double parameters_of(const Problem& problem, std::int64_t chunks, std::int64_t first,
                                   std::int64_t count);

/// The devices of a stage as costs see them: of which nodes how many.
struct DeviceGroup {
    struct Part {
        const Node* node = nullptr;
        std::int64_t devices = 0;
    };
    std::vector<Part> parts;
};

/// More ms for each layer where a tensor-parallel group spans nodes; 0 where none does.
[[nodiscard]] double tensor_ms_per_layer(const Problem& problem, const DeviceGroup& group,
                                         std::int64_t tp, std::int64_t batch);

/// One way of a micro-batch's activations over the stage's nodes: "side" of docs/planner.md.
[[nodiscard]] double side_ms(const Problem& problem, const DeviceGroup& group, std::int64_t tp,
                             std::int64_t batch);
/// The same inside one node.
[[nodiscard]] double inside_ms(const Problem& problem, const Node& node, std::int64_t batch);

/// D_s = ms_per_byte x P_s + fixed_ms.
struct GradientCost {
    double ms_per_byte = 0;
    double fixed_ms = 0;
};
[[nodiscard]] GradientCost gradient_cost(const DeviceGroup& group, std::int64_t dp,
                                         std::int64_t tp);

}  // namespace npunet::planner

// A parallel plan for a cluster: which devices, replicas, and layers each pipeline stage has.
//
// docs/planner.md defines the plans, and has the symbols.
#pragma once

#include <cstdint>
#include <vector>

namespace npunet::planner {

/// What a stage has of a node.
struct NodeShare {
    std::size_t node = 0;      ///< index into Cluster::nodes
    std::int64_t devices = 0;  ///< d
    std::int64_t first = 0;    ///< the first of them, counted inside the node
};

struct PlanStage {
    std::vector<NodeShare> shares;  ///< ascending nodes
    std::int64_t dp = 1;
    std::int64_t tp = 1;
    std::int64_t batch = 1;        ///< b, samples of a replica's micro-batch
    std::int64_t first_layer = 0;  ///< x_s, in the first round
    std::int64_t layers = 0;       ///< of each round

    [[nodiscard]] std::int64_t devices() const { return dp * tp; }
};

struct Plan {
    std::int64_t micro_batches = 1;  ///< m
    std::int64_t chunks = 1;         ///< v; 1: 1F1B, more: interleaved
    std::vector<PlanStage> stages;
};

/// What a stage costs, in ms and MiB.
struct StageCost {
    double computing_ms = 0;     ///< t_s of a micro-batch, without what follows
    double tensor_ms = 0;        ///< more for tensor groups across nodes
    double transfer_ms = 0;      ///< to and from the neighbours
    double gradients_ms = 0;     ///< D_s
    double optimizer_ms = 0;     ///< U_s
    double memory_mib = 0;       ///< of the device that is fullest for its memory
    double capacity_mib = 0;     ///< of that device
    bool fits = true;            ///< every device does
    std::int64_t in_flight = 1;  ///< chunks of micro-batches in flight

    [[nodiscard]] double period_ms() const { return computing_ms + tensor_ms + transfer_ms; }
};

struct PlanCost {
    std::vector<StageCost> stages;
    double steady_ms = 0;  ///< m max T_s
    double bubble_ms = 0;  ///< (sum of T_s - max T_s) / v
    double update_ms = 0;  ///< max (D_s + U_s)
    bool fits = true;

    [[nodiscard]] double step_ms() const { return steady_ms + bubble_ms + update_ms; }
};

}  // namespace npunet::planner

// What a search for parallel plans found, whichever search it was: the plans, best first, and how
// much was looked at. Tables, JSON, CSV and logs are made from this
// (plan_output.h).
//
//     RankedPlans ranked{"metis", "headroom"};
//     ranked.steps = 562;
//     ranked.plans.push_back(plan);
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace npunet::report {

/// A pipeline stage in detail.
struct PlannedStage {
    /// What it has of a node.
    struct Share {
        std::size_t node = 0;  ///< counted from 0 in the hostfile
        std::string type;
        std::int64_t first = 0;    ///< of the node's devices
        std::int64_t devices = 0;  ///< so many of them
    };

    std::vector<Share> shares;
    std::int64_t first_layer = 0;  ///< of the first round
    std::int64_t layers = 0;       ///< of each round
    std::int64_t dp = 1;
    std::int64_t tp = 1;
    std::int64_t micro_batch = 1;  ///< samples of a replica
    /// Of a micro-batch.
    double computing_ms = 0;
    double tensor_ms = 0;    ///< more, for tensor groups across nodes
    double transfer_ms = 0;  ///< to and from its neighbours
    /// Once a step.
    double gradients_ms = 0;
    double optimizer_ms = 0;
    double memory_mb = 0;    ///< MiB of the fullest device
    double capacity_mb = 0;  ///< MiB
};

struct RankedPlan {
    double cost_ms = 0;  ///< of a step
    /// What the cost consists of, in ms; the same names in all plans of a search.
    std::vector<std::pair<std::string, double>> parts;
    std::vector<std::string> node_sequence;   ///< types of devices in the order of their ranks
    std::vector<std::int64_t> device_groups;  ///< devices of each stage
    std::vector<std::pair<std::int64_t, std::int64_t>> strategies;  ///< dp and tp of each stage
    std::int64_t batches = 1;                                       ///< micro-batches of a step
    std::vector<std::int64_t> layer_partition;  ///< from 0: where stages begin; behind them the end
    std::vector<double> memory_mb;              ///< MiB that each stage needs
    std::vector<double>
        capacity_mb;                 ///< MiB that each stage has, as memory_mb; empty: not compared
    std::string schedule;            ///< empty: the search knows one alone
    std::int64_t chunks = 1;         ///< of layers on each stage
    std::vector<std::string> notes;  ///< whole sentences
    std::vector<PlannedStage> stages;  ///< empty: the search says no more of them
    /// What a simulation of the plan took; below 0: not simulated.
    double simulated_ms = -1;
    /// Of that simulation: the least time in which its busiest link could carry its bytes.
    double link_bound_ms = 0;
};

struct RankedPlans {
    std::string dialect;
    std::string strategy;
    std::uint64_t steps = 0;  ///< what the search counts as such
    std::uint64_t plans_costed = 0;
    /// Further figures of the search, by their names in JSON.
    std::vector<std::pair<std::string, double>> counts = {};
    std::vector<RankedPlan> plans = {};   ///< best first
    std::vector<std::string> notes = {};  ///< whole sentences
    std::vector<double> trial_ms = {};    ///< how long each run of the search took

    /// The mean; 0 without any.
    [[nodiscard]] double average_ms() const {
        double sum = 0;
        for (const double time : trial_ms) {
            sum += time;
        }
        return trial_ms.empty() ? 0 : sum / static_cast<double>(trial_ms.size());
    }
};

}  // namespace npunet::report

// A plan's predicted step beside a simulated one, and the execution traces of the plan.
//
//     VerifiedPlan verified = verify(problem, plan, network, Fidelity::CongestionAware);
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "generators/workload.h"
#include "planner/search/plan.h"
#include "planner/search/problem.h"
#include "study/simulation_run.h"
#include "topology/network/network_description.h"

namespace npunet::study {

/// The execution traces of a parallel plan: what every device of the cluster does in one step.
///
/// Rank r is the r-th device of the cluster. A pass takes a third (forward) or two thirds
/// (backward) of the profiled times of its layers, as a recorded duration; the first stage's
/// forward pass also has the batch generator, the last stage's backward pass the gap between the
/// layers. Replicas of neighbouring stages exchange the samples that both work on, each
/// tensor-parallel rank its part; gradients are all-reduced among the replicas of a stage, and the
/// optimizer follows. Communication inside tensor groups is in the profiled times.
///
/// Throws InputError for plans of too many micro-batches.
[[nodiscard]] generators::GeneratedWorkload workload_of(const planner::Problem& problem,
                                                        const planner::Plan& plan);

/// The tensor-parallel groups of two devices or more, by stage and replica, as in the traces.
[[nodiscard]] std::vector<std::vector<Rank>> tensor_groups_of(const planner::Problem& problem,
                                                              const planner::Plan& plan);

struct VerifiedPlan {
    double predicted_ms = 0;
    Time simulated;    ///< when the last device has finished
    Time link_bound;   ///< engine::Results::link_bound
    std::string note;  ///< that it finishes before link_bound; else empty

    /// Simulated by predicted.
    [[nodiscard]] double ratio() const;
};

/// Makes the plan's traces and simulates a step of them. `network`: rank r
/// of it is the r-th device of the cluster. Throws InputError as simulate() does.
[[nodiscard]] VerifiedPlan verify(const planner::Problem& problem, const planner::Plan& plan,
                                  const topology::NetworkDescription& network, Fidelity fidelity);

}  // namespace npunet::study

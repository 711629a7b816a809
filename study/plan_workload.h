// The execution traces of a parallel plan: what every device of the cluster does in one step.
//
//     generators::GeneratedWorkload workload = workload_of(problem, plan);
//     write_workload(workload, {"plan1"});               // Chakra traces
//
// Rank r is the r-th device of the cluster. A pass takes a third (forward) or two thirds (backward)
// of the profiled times of its layers, as a recorded duration; the first stage's forward pass has
// the batch generator besides, the last stage's backward pass the gap between the layers. Replicas
// of neighbouring stages exchange the samples that both work on, each tensor-parallel rank its
// part; gradients are all-reduced among the replicas of a stage, and the optimizer follows.
// Communication inside tensor groups is in the profiled times.
#pragma once

#include "generators/workload.h"
#include "planner/search/plan.h"
#include "planner/search/problem.h"

namespace npunet::study {

/// Throws InputError for plans of too many micro-batches.
[[nodiscard]] generators::GeneratedWorkload workload_of(const planner::Problem& problem,
                                                        const planner::Plan& plan);

}  // namespace npunet::study

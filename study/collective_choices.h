// Why the collectives of a workload are carried out as they are: which algorithms were timed.
//
//     const std::vector<engine::CollectiveChoice> choices = collective_choices(workload, planner);
#pragma once

#include <vector>

#include "engine/collective/planner.h"
#include "engine/program/workload.h"
#include "engine/results/collective_choice.h"
#include "study/simulation_run.h"

namespace npunet::study {

/// Every different choice once, by kind, size and first communicator; those of communicators that
/// are alike are one. Collectives whose algorithm and chunks system.json gives, those that follow a
/// file, barriers and unequal all-to-alls are left out. `planner`: of the workload; it keeps the
/// choices for runs (RunOptions::planner).
[[nodiscard]] std::vector<engine::CollectiveChoice> collective_choices(
    const engine::Workload& workload, engine::CollectivePlanner& planner);
/// With a planner of its own. Throws InputError as simulate() does.
[[nodiscard]] std::vector<engine::CollectiveChoice> collective_choices(
    const engine::Workload& workload, const Machine& machine);

}  // namespace npunet::study

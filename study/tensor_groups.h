// Tensor-parallel groups that leave their server, whose links they then do not have.
//
//     const std::string note = tensor_group_note(groups, machine.network);
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/machine/dialect.h"
#include "engine/program/workload.h"
#include "planner/search/plan.h"
#include "planner/search/problem.h"
#include "topology/network/network_description.h"

namespace npunet::study {

/// A sentence about groups, of at least two ranks each, that have members in several blocks of the
/// network's first tier; empty if there are none, or if the blocks' NPUs can send as much to the
/// rest as to each other (a torus, a fat tree without oversubscription). Time: proportional to the
/// network and the members.
[[nodiscard]] std::string tensor_group_note(const std::vector<std::vector<Rank>>& groups,
                                            const topology::NetworkDescription& network);

/// The same of a workload's groups (engine::Group::dimension); empty in the dialects of
/// whole nanoseconds, where notes are as they were.
[[nodiscard]] std::string tensor_group_note(const engine::Workload& workload,
                                            const engine::Dialect& dialect,
                                            const topology::NetworkDescription& network);

/// The same of a plan for a cluster, whose servers are its nodes; what it costs is in the plan.
[[nodiscard]] std::string tensor_group_note(const planner::Problem& problem,
                                            const planner::Plan& plan);

}  // namespace npunet::study

// The groups that new_group makes before the first step, in order.
//
//     for (const SetUpGroup& group : genstack_set_up_groups(groups)) ...  // what every rank logs
//     for (const GroupRole role : own_set_up_groups(groups, Rank(3))) ... // what rank 3 logs
//
// Megatron-LM has every rank make every group of the job (parallel_state.py), and the tracer logs
// them all. The npunet dialect has of each rank those groups alone that it is a member of.
#pragma once

#include <vector>

#include "base/ids.h"
#include "generators/megatron/process_groups.h"

namespace npunet::generators::megatron {

struct SetUpGroup {
    std::vector<Rank> ranks;
    bool gloo = false;  ///< of that backend; otherwise of the default one
};

/// 6 tp pp + 2 W + 2 dp + 4 dp pp + 3 dp tp + 2 pp + 1 groups of W ranks. Needs cp = ep = 1.
[[nodiscard]] std::vector<SetUpGroup> genstack_set_up_groups(const ProcessGroups& groups);

/// The roles, in their order, of the groups of two and more ranks that the rank is in; without the
/// world, which needs no new group.
[[nodiscard]] std::vector<GroupRole> own_set_up_groups(const ProcessGroups& groups, Rank rank);

}  // namespace npunet::generators::megatron

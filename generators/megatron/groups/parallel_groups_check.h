// What a file of parallel groups says against a plan, and against itself.
//
//     for (const GroupsDifference& one : compare(file, parallel_groups(groups, dialect))) {
//         out << one.what << ": " << one.found << "; expected " << one.expected;
//     }
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/megatron/groups/planned_groups.h"

namespace npunet::generators::megatron {

struct GroupsDifference {
    std::string what;      ///< "TP Size", "DP groups", ...
    std::string found;     ///< in the file
    std::string expected;  ///< of the plan
};

/// Sizes, statistics, each section's groups and the full models, in the order of the file. Sizes
/// that one of the two does not have are not compared; neither is the order of groups or of their
/// members.
[[nodiscard]] std::vector<GroupsDifference> compare(const ParallelGroupsFile& file,
                                                    const ParallelGroupsFile& plan);

/// Infers etp from the groups of the file, given the rest of the plan: the value for which both the
/// expert groups and the full models match, else the expert groups alone. Of several, the plan's
/// tp, else the smallest; tp if there is none.
[[nodiscard]] std::int64_t expert_tensor_of(const ParallelGroupsFile& file, Parallelism plan,
                                            GroupsDialect dialect);

/// Where the file contradicts itself: sizes that do not multiply to the world, groups of another
/// length than their size or whose ranks do not ascend, ranks in no group of a section, replicas of
/// unequal length or that cut pipelines, failures that are not counted.
[[nodiscard]] std::vector<GroupsDifference> contradictions(const ParallelGroupsFile& file);

}  // namespace npunet::generators::megatron

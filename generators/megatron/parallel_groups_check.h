// What a file of parallel groups says against a plan, and against itself.
//
//     for (const GroupsDifference& one : compare(file, parallel_groups(groups, dialect))) {
//         out << one.what << ": " << one.found << "; expected " << one.expected;
//     }
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/megatron/parallel_groups_file.h"

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

/// The etp whose groups the file has, of a plan that tells the rest: the one by which both the
/// groups of experts and the full models are the file's, else the groups of experts alone; where
/// several are, the plan's tp before others, and then the smallest. tp where there is none.
[[nodiscard]] std::int64_t expert_tensor_of(const ParallelGroupsFile& file, Parallelism plan,
                                            GroupsDialect dialect);

/// Where the file contradicts itself: sizes that do not multiply to the world, groups of another
/// length than their size or whose ranks do not ascend, ranks in no group of a section, replicas of
/// unequal length or that cut pipelines, failures that are not counted.
[[nodiscard]] std::vector<GroupsDifference> contradictions(const ParallelGroupsFile& file);

}  // namespace npunet::generators::megatron

// The file of parallel groups that a job of a plan would write.
//
//     const ProcessGroups groups({.tp = 2, .dp = 2, .pp = 4});
//     ParallelGroupsFile file = parallel_groups(groups, GroupsDialect::Npunet);
#pragma once

#include <cstdint>
#include <string>

#include "generators/megatron/groups/model_replicas.h"
#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/groups/python_datetime.h"
#include "profiles/parallel_groups_file.h"

namespace npunet::generators::megatron {

using profiles::ParallelGroupsFile;

/// Whose full model replicas, and whose line about their size.
enum class GroupsDialect : std::uint8_t {
    Npunet,   ///< full_replicas(): right in every rank order
    TraceViz  ///< traceviz_replicas()
};

/// What the job's rank 0 would write when no rank fails; without time and global batch size.
[[nodiscard]] ParallelGroupsFile parallel_groups(const ProcessGroups& groups,
                                                 GroupsDialect dialect);

/// "unique_parallel_groups_20260210_163851.txt"
[[nodiscard]] std::string parallel_groups_name(const PythonDatetime& time);

}  // namespace npunet::generators::megatron

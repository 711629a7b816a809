// Reads the traces of a job from files.
//
//     Workload workload = load_workload("traces/step", "traces/groups.json", 64, options);
//
// Of ranks whose traces differ in nothing but communicators, other ranks and the number from which
// ids count, one is read in full; of the others, what differs.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <string>

#include "engine/program/workload.h"

namespace npunet::engine {

/// Reads PREFIX.RANK.et for `npus` ranks and the group file (empty: no groups). Throws InputError
/// for missing, truncated, cyclic or contradictory input, and for a workload in which no rank has
/// anything to do unless the options allow it. A note names the ranks that have nothing to do.
[[nodiscard]] Workload load_workload(const std::string& prefix, const std::string& group_file,
                                     std::size_t npus, const WorkloadOptions& options);

}  // namespace npunet::engine

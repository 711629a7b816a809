// The communications on the critical path of a run.
//
//     std::vector<std::uint32_t> path = critical_path(workload, times, list, communication_of);
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/workload.h"
#include "study/gap/joint_operations.h"

namespace npunet::study {

/// The collectives and messages on the critical path, indices into `list`, first to last. The path
/// is followed backwards from the operation that ends last: from a collective to the member that
/// started last, from a message to its send, or to its receive if that found the message already
/// there; from any other operation to one of the rank that ended when it started: preferably one on
/// which it depends, otherwise one that may have occupied the resource; then communication first,
/// then the lowest number. The path ends if there is none.
[[nodiscard]] std::vector<std::uint32_t> critical_path(
    const engine::Workload& workload, const RunTimes& times,
    const std::vector<JointOperation>& list,
    const std::vector<std::vector<std::uint32_t>>& communication_of);

}  // namespace npunet::study

// What the end of a run waited for last, back to its beginning.
//
//     std::vector<std::uint32_t> path = critical_path(workload, times, list, communication_of);
#pragma once

#include <cstdint>
#include <vector>

#include "engine/workload.h"
#include "study/gap/joint_operations.h"

namespace npunet::study {

/// The collectives and messages on the critical path, places in `list`, first to last. The path
/// goes back from the operation that ends last: from a collective to the member that came last,
/// from a message to its send, or to its receive where that found it there; from any other start to
/// what ended then at the rank, on which it depends, or which held its place. Of several:
/// communication, then the lowest number. It ends where nothing did.
[[nodiscard]] std::vector<std::uint32_t> critical_path(
    const engine::Workload& workload, const RunTimes& times,
    const std::vector<JointOperation>& list,
    const std::vector<std::vector<std::uint32_t>>& communication_of);

}  // namespace npunet::study

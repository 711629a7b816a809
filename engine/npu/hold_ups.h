// What holds an NPU up (engine/results/hold_ups.h), from the records of a run.
//
// At every instant an NPU has one state: it computes; else, of the first dimension of
// parallelism_by_precedence that has communication under way, it carries some, or waits in all of
// it for members of collectives that have not begun; else it accesses remote memory; else it waits
// for the first byte of a message; else there is nothing. Where it waits, the cause is that of the
// same instant at the NPU for which it waits: the last member to begin, or the sender; of several
// waits that which ends first, then that for the lowest rank. C++17-clean.
#pragma once

#include <vector>

#include "base/ids.h"
#include "engine/npu/late_members.h"
#include "engine/npu/rank_record.h"
#include "engine/program/fold.h"
#include "engine/program/workload.h"
#include "engine/results/hold_ups.h"

namespace npunet::engine {

/// Records by rank, of those that stand for others. NPUs that wait for each other at an instant
/// have no known cause then.
[[nodiscard]] HoldUps hold_ups_of(Rank rank, const Workload& workload, const Fold& fold,
                                  const std::vector<RankRecord>& records, LateMembers& late);

}  // namespace npunet::engine

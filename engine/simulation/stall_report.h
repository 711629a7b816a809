// Why a run cannot go on: for each NPU with work left the operation that everything behind it waits
// for, and what the network knows.
//
// C++17-clean.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/collective/collective_engine.h"
#include "engine/network/network.h"
#include "engine/npu/issue_rules.h"
#include "engine/npu/point_to_point.h"
#include "engine/npu/rank_record.h"
#include "engine/program/workload.h"

namespace npunet::engine {

/// A run in which nothing is left to happen.
struct UnfinishedRun {
    const Workload& workload;
    const std::vector<RankRecord>& records;  ///< by rank
    std::function<bool(Rank)> simulates;     ///< whether the record of a rank is its own
    const IssueRules& rules;
    const PointToPoint& point_to_point;
    const CollectiveEngine& collectives;
    const Network& network;
    Time now;
};

/// "at 3 us nothing is left to happen, but 2 of 8 ranks have work left:", and a line for each, up
/// to eight. Names the limit of the system that holds back communication that is ready.
[[nodiscard]] std::string explain_stall(const UnfinishedRun& run);

}  // namespace npunet::engine

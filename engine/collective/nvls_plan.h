// A collective by NVLS on a network whose switches reduce: the schedule, and the switches.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "engine/collective_library/nvls_schedule.h"
#include "topology/network/reduction_tree.h"

namespace npunet::engine {

struct NvlsPlan {
    NvlsSchedule schedule;
    /// By node: places in NetworkDescription::reducing_switches, which share its requests.
    std::vector<std::vector<std::uint32_t>> switches;
    std::vector<std::vector<Rank>> ranks;  ///< by node
    /// Between nodes: of the heads of one place, the nodes in order, by place in the node. Empty
    /// where there is one node, or trees of heads.
    std::vector<topology::ReductionTree> trees;
};

}  // namespace npunet::engine

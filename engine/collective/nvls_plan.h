// A collective by NVLS on a network whose switches reduce: the schedule, and the switches.
//
// C++17-clean.
#pragma once

#include <cstddef>
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
    /// Of an estimate, without `switches`: between nodes switches add up that network.yml does not
    /// name.
    bool by_unknown_trees = false;

    /// Which switch has the request for a unit of a head, counted over all loops.
    [[nodiscard]] std::uint32_t switch_of(std::size_t head, std::int32_t channel,
                                          std::int64_t unit) const {
        const std::vector<std::uint32_t>& list = switches[schedule.node_of(head)];
        return list[(static_cast<std::size_t>(unit) + static_cast<std::size_t>(channel) +
                     schedule.place_in_node(head)) %
                    list.size()];
    }
};

}  // namespace npunet::engine

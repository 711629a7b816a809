// Trees of switches that reduce, as SHARP has them: what NPUs push is added up on its way to the
// root, switch by switch, and the sum is copied on its way back.
//
// An NPU is below a switch to which it has a link each way, a switch below its parent. Roots are
// the switches from which the NPU furthest away is as near as can be; `choice` takes one of them
// after the other, so that trees differ: on a leaf-spine network every spine is the root of some.
// There are no trees with a switch that would add up more parts than its `radix`.
//
//     const ReductionTrees trees(network, npus);
//     if (trees.exist()) { const ReductionTree tree = trees.tree(0); }
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

struct ReductionTree {
    static constexpr std::uint32_t none = 0xffffffff;

    struct Switch {
        std::uint32_t place = 0;              ///< in NetworkDescription::reducing_switches
        std::uint32_t parent = none;          ///< in `switches`, as the next; none: the root
        std::vector<std::uint32_t> switches;  ///< below it
        std::vector<std::uint32_t> members;   ///< NPUs below it, in `npus`

        [[nodiscard]] std::size_t children() const { return switches.size() + members.size(); }
    };
    std::vector<Switch> switches;                 ///< the root first, parents before children
    std::vector<NodeId> npus;                     ///< members, in the order given
    std::vector<std::uint32_t> switch_of_member;  ///< in `switches`
};

class ReductionTrees {
public:
    /// Of different NPUs, at least one. The network must outlive this.
    ReductionTrees(const NetworkDescription& network, std::vector<NodeId> npus);

    [[nodiscard]] bool exist() const { return !roots_.empty(); }
    /// How many differ.
    [[nodiscard]] std::size_t size() const { return roots_.size(); }
    /// Number `choice` modulo size().
    [[nodiscard]] ReductionTree tree(std::size_t choice) const;

private:
    static constexpr std::uint32_t none = 0xffffffff;

    void find_neighbours();
    void find_roots();
    /// Drops those whose trees have more parts at a switch than it can add up.
    void keep_roots_within_radix();

    const NetworkDescription& network_;
    std::vector<NodeId> npus_;
    /// By place: switches that have a link to it and one from it.
    std::vector<std::vector<std::uint32_t>> neighbours_;
    std::vector<std::vector<std::uint32_t>> switches_of_npu_;
    std::vector<std::uint32_t> roots_;  ///< places
};

/// The least time from when NPUs begin to push `unit` bytes until the sum is with all of them.
[[nodiscard]] Time push_time(const NetworkDescription& network, const ReductionTree& tree,
                             Bytes unit);

}  // namespace npunet::topology

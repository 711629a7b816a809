// Blocks of NPUs with the switches that belong to them, while the tiers of a graph are looked for
// (topology/network/find_tiers.h).
//
//     NpuBlocks blocks(graph, neighbours_of(graph));    // each NPU one
//     blocks.join({0, 0, 1, 1}, 2);                     // of four blocks two
//
// C++17-clean.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/graph/neighbours.h"

namespace npunet::topology {

class NpuBlocks {
public:
    static constexpr std::int32_t none = -1;

    /// `links`: neighbours_of(graph). Links without a link back do not count.
    NpuBlocks(const Graph& graph, const Neighbours& links);

    [[nodiscard]] std::size_t npus() const { return npus_; }
    [[nodiscard]] std::size_t count() const { return count_; }
    /// Whether every NPU is still a block of its own.
    [[nodiscard]] bool are_single_npus() const { return count_ == npus_; }

    [[nodiscard]] std::int32_t nodes() const {
        return static_cast<std::int32_t>(neighbours_.size());
    }
    [[nodiscard]] const std::vector<Neighbour>& neighbours_of(std::int32_t node) const {
        return neighbours_[static_cast<std::size_t>(node)];
    }
    /// Links to the nearest NPU; none where no NPU is reached.
    [[nodiscard]] std::int32_t level_of(std::int32_t node) const {
        return level_of_[static_cast<std::size_t>(node)];
    }
    /// The block of a node; none for a switch of no block yet.
    [[nodiscard]] std::int32_t block_of(std::int32_t node) const {
        return block_of_[static_cast<std::size_t>(node)];
    }
    /// The one NPU through which a node of a block is reached from below, itself for an NPU: a NIC
    /// is reached through its NPU. None where there are several.
    [[nodiscard]] std::int32_t npu_of(std::int32_t node) const {
        return npu_of_[static_cast<std::size_t>(node)];
    }
    /// In ascending order of levels, those that reach an NPU.
    [[nodiscard]] const std::vector<std::int32_t>& switches() const { return switches_; }

    /// A switch is above its neighbours that are one link nearer to the NPUs.
    [[nodiscard]] bool is_below(std::int32_t lower, std::int32_t upper) const {
        return level_of(lower) == level_of(upper) - 1;
    }
    template <class Holds>
    [[nodiscard]] bool all_below(std::int32_t upper, const Holds& holds) const {
        const auto& list = neighbours_of(upper);
        return std::all_of(list.begin(), list.end(), [&](const Neighbour& next) {
            return !is_below(next.node, upper) || holds(next.node);
        });
    }

    /// By NPU.
    [[nodiscard]] std::vector<std::int32_t> by_npu() const;

    /// Gives each block a number below `count`, the same one to those that become one block.
    void join(const std::vector<std::int32_t>& new_numbers, std::size_t count);

private:
    void set_levels();
    void take_in_switches();

    std::size_t npus_;
    std::size_t count_;
    Neighbours neighbours_;
    std::vector<std::int32_t> level_of_;
    std::vector<std::int32_t> block_of_;
    std::vector<std::int32_t> npu_of_;
    std::vector<std::int32_t> switches_;
};

}  // namespace npunet::topology

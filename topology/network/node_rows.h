// The rows in which the nodes of a network with switches are drawn: NPUs below, switches above.
//
//     const NodeRows rows(network);
//     rows.row(node);                       // 0 for NPUs
//     rows.home(node);                      // the smallest block whose NPUs alone are below it
//
// A switch stands above the switches whose home is of a tier further inside, and, of one tier,
// above those that are fewer links away from the NPUs: NVSwitches of servers, then leaves, then
// spines.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

/// A block of a tier (topology/network/tiers.h).
struct Block {
    std::int32_t tier = 0;
    std::int32_t number = 0;

    friend bool operator<(const Block& a, const Block& b) {
        return std::pair(a.tier, a.number) < std::pair(b.tier, b.number);
    }
    friend bool operator==(const Block& a, const Block& b) {
        return a.tier == b.tier && a.number == b.number;
    }
};

class NodeRows {
public:
    /// Time: proportional to links and tiers.
    explicit NodeRows(const NetworkDescription& network);

    /// Those of the network that divide its NPUs into several blocks of several NPUs, from the
    /// inside to the outside, and last one block of all.
    [[nodiscard]] const std::vector<Tier>& tiers() const { return tiers_; }
    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t row(NodeId node) const { return row_[node.index()]; }
    /// Of an NPU: its block of the innermost tier.
    [[nodiscard]] Block home(NodeId node) const { return home_[node.index()]; }
    [[nodiscard]] Block outermost() const {
        return {static_cast<std::int32_t>(tiers_.size()) - 1, 0};
    }
    [[nodiscard]] std::int32_t block_of(NodeId npu, std::int32_t tier) const {
        return tiers_[static_cast<std::size_t>(tier)].block_of_npu[npu.index()];
    }
    /// NPUs in the order in which they stand: those of a block together.
    [[nodiscard]] std::vector<NodeId> npus_in_order() const;

private:
    void find_tiers(const NetworkDescription& network);
    void find_homes(const Graph& graph, const std::vector<std::size_t>& distance);
    void find_rows(const Graph& graph, const std::vector<std::size_t>& distance);

    std::vector<Tier> tiers_;
    std::vector<Block> home_;
    std::vector<std::size_t> row_;
    std::size_t rows_ = 1;
};

/// What stands in a row: a node, or several that are drawn as one.
struct RowItem {
    std::size_t row = 0;
    Block home;
    NodeId npu;  ///< of row 0: its first NPU
};

/// Where items stand from left to right, from 0: those of row 0 in their order, at least a step
/// apart and further where a block ends; those above them spread over the width of their home, as
/// many as there are at least half a step apart.
[[nodiscard]] std::vector<double> places_in_rows(const NodeRows& rows,
                                                 const std::vector<RowItem>& items);

}  // namespace npunet::topology

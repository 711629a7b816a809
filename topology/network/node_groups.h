// What of a network is drawn: every node by itself where there are few NPUs; else groups of nodes
// that stand for all of them, so that a network of any size fits a page.
//
//     const NodeGroups groups(network);
//     for (const NodeGroup& group : groups.groups()) { draw(group); }
//
// Above `most_npus` NPUs those of a block of the innermost tier are a group; of many blocks, the
// first ones and the last one are there by themselves, and a group is left out between them, with
// their switches. So are switches of a row of a block. Every NPU, switch and link is in one group,
// or in one bundle of links between two groups.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "topology/network/network_description.h"
#include "topology/network/node_rows.h"

namespace npunet::topology {

struct NodeGroup {
    RowItem item;
    std::string name;             ///< of a node by itself, else of what is alike in its switches
    std::vector<NodeId> nodes;    ///< ascending
    std::size_t npus = 0;         ///< of `nodes`
    std::size_t switches = 0;     ///< of `nodes`
    std::size_t inner_links = 0;  ///< between its nodes, each direction counts
    std::size_t blocks = 0;       ///< left out, of `tier`; 0: nothing is left out
    std::int32_t tier = 0;        ///< with `blocks`
    bool between = false;         ///< switches between others of their row, left out
};

/// The links of one kind between two groups.
struct LinkBundle {
    std::size_t from = 0;  ///< groups, `from` < `to`
    std::size_t to = 0;
    std::uint32_t kind = 0;     ///< topology/network/link_kinds.h
    std::vector<LinkId> links;  ///< of both directions
};

class NodeGroups {
public:
    static constexpr std::size_t most_npus = 64;

    explicit NodeGroups(const NetworkDescription& network, std::size_t most = most_npus);

    [[nodiscard]] const NodeRows& rows() const { return rows_; }
    /// By row, in each from left to right.
    [[nodiscard]] const std::vector<NodeGroup>& groups() const { return groups_; }
    [[nodiscard]] const std::vector<LinkBundle>& bundles() const { return bundles_; }
    [[nodiscard]] std::size_t group_of(NodeId node) const { return group_of_[node.index()]; }
    /// The blocks that are not left out, of all tiers but the outermost, and whose nodes are drawn.
    [[nodiscard]] std::vector<Block> shown_blocks() const;
    /// Whether any group has several nodes.
    [[nodiscard]] bool collapsed() const { return groups_.size() < group_of_.size(); }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::size_t add(RowItem item, const std::vector<NodeId>& nodes);
    void add_npus(const std::vector<NodeId>& npus, Block block);
    void leave_out(const std::vector<std::vector<NodeId>>& blocks, Block of);
    void add_switches(const std::vector<NodeId>& switches, Block home, std::size_t row);
    void add_all_switches();
    void sort_groups();
    void bundle_links();
    [[nodiscard]] std::size_t most_blocks() const;

    const NetworkDescription& network_;
    NodeRows rows_;
    bool whole_;  ///< every node is drawn by itself
    std::vector<NodeGroup> groups_;
    std::vector<std::size_t> group_of_;
    std::vector<LinkBundle> bundles_;
};

}  // namespace npunet::topology

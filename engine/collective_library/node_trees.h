// The two binary trees over the nodes of a communicator: every node has children in one of them at
// most, or is the root of one, so that both together use its NICs evenly.
//
// Tree 0 in order: node r from 1 on stands at the height of the lowest bit that is set in r; its
// parent has that bit cleared and the next one set, or only cleared where there is no such node.
// Node 0 is the root. Tree 1 is its mirror image, or, of an odd number of nodes, moved by one.
//
//     const NodeTrees trees(4);
//     trees.parent(tree, node); trees.children(tree, node);
//
// Source: NCCL 2.30.7, src/graph/trees.cc (ncclGetDtree).
//
// C++17-clean.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace npunet::engine {

class NodeTrees {
public:
    static constexpr std::int32_t none = -1;

    explicit NodeTrees(std::int32_t nodes);

    /// `none` of the root. `tree`: 0 or 1.
    [[nodiscard]] std::int32_t parent(std::size_t tree, std::size_t node) const {
        return parents_[tree][node];
    }
    /// Two at most, ascending.
    [[nodiscard]] const std::vector<std::int32_t>& children(std::size_t tree,
                                                            std::size_t node) const {
        return children_[tree][node];
    }

private:
    std::array<std::vector<std::int32_t>, 2> parents_;
    std::array<std::vector<std::vector<std::int32_t>>, 2> children_;
};

}  // namespace npunet::engine

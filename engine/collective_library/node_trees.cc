#include "engine/collective_library/node_trees.h"

namespace npunet::engine {

namespace {

std::int32_t parent_in_order(std::int32_t node, std::int32_t nodes) {
    if (node == 0) {
        return NodeTrees::none;
    }
    const std::int32_t bit = node & -node;
    const std::int32_t cleared = node ^ bit;
    const std::int32_t up = cleared | (2 * bit);
    return up < nodes ? up : cleared;
}

}  // namespace

NodeTrees::NodeTrees(std::int32_t nodes) {
    for (std::size_t tree = 0; tree < 2; ++tree) {
        parents_[tree].resize(static_cast<std::size_t>(nodes));
        children_[tree].resize(static_cast<std::size_t>(nodes));
    }
    for (std::int32_t node = 0; node < nodes; ++node) {
        const auto twin = [&](std::int32_t other) {
            return other == none ? none : nodes % 2 == 0 ? nodes - 1 - other : (other + 1) % nodes;
        };
        const std::int32_t up = parent_in_order(node, nodes);
        parents_[0][static_cast<std::size_t>(node)] = up;
        parents_[1][static_cast<std::size_t>(twin(node))] = twin(up);
    }
    for (std::size_t tree = 0; tree < 2; ++tree) {
        for (std::int32_t node = 0; node < nodes; ++node) {
            const std::int32_t up = parents_[tree][static_cast<std::size_t>(node)];
            if (up != none) {
                children_[tree][static_cast<std::size_t>(up)].push_back(node);
            }
        }
    }
}

}  // namespace npunet::engine

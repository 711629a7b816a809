#include "engine/collective_algorithms/algorithms.h"

#include <utility>

namespace npunet::engine::double_binary_tree {

namespace {

constexpr std::int32_t no_rank = Exchange::no_rank;

/// A member's place in its tree: its neighbours, by their numbers in the tree.
struct Node {
    std::int32_t parent = no_rank;
    std::int32_t children[2] = {no_rank, no_rank};

    [[nodiscard]] std::int32_t child_count() const {
        return (children[0] != no_rank ? 1 : 0) + (children[1] != no_rank ? 1 : 0);
    }
};

std::int32_t lowest_bit(std::int32_t value) {
    return value & -value;
}

std::int32_t parent_of(std::int32_t node, std::int32_t n) {
    const std::int32_t bit = lowest_bit(node);
    const std::int32_t without = node ^ bit;
    const std::int32_t up = without | (2 * bit);
    return up < n ? up : without;
}

/// In order: node v of 1 .. n - 1 stands at the height of its lowest bit; 0 is the root.
Node node_of(std::int32_t v, std::int32_t n) {
    Node node;
    std::int32_t found = 0;
    if (v != 0) {
        node.parent = parent_of(v, n);
    }
    std::int32_t reach = 2;
    while (v == 0 && reach < n) {
        reach *= 2;
    }
    if (v != 0) {
        reach = lowest_bit(v);
        if (reach > 1) {
            node.children[found++] = v - reach / 2;
        }
    }
    // The subtree above starts at the highest node that has this one as its parent.
    for (std::int32_t step = reach / 2; step >= 1; step /= 2) {
        if (v + step < n && parent_of(v + step, n) == v) {
            node.children[found] = v + step;
            break;
        }
    }
    return node;
}

std::int32_t number_in_tree(const PhaseShape& shape, std::int32_t member) {
    const std::int32_t n = shape.members;
    if (shape.lane % 2 == 0) {
        return member;
    }
    return n % 2 == 0 ? n - 1 - member : (member + n - 1) % n;
}

std::int32_t member_at(const PhaseShape& shape, std::int32_t number) {
    const std::int32_t n = shape.members;
    if (shape.lane % 2 == 0) {
        return number;
    }
    return n % 2 == 0 ? n - 1 - number : (number + 1) % n;
}

/// In the mirror image the children are swapped: the lower member comes first.
Node node_in_tree(const PhaseShape& shape, std::int32_t number) {
    Node node = node_of(number, shape.members);
    const bool mirrored = shape.lane % 2 == 1 && shape.members % 2 == 0;
    if (mirrored && node.child_count() == 2) {
        std::swap(node.children[0], node.children[1]);
    }
    return node;
}

}  // namespace

std::int32_t count(const PhaseShape& shape) {
    const Node node = node_in_tree(shape, number_in_tree(shape, shape.me));
    return 2 * node.child_count() + (node.parent != no_rank ? 1 : 0);
}

std::int32_t reductions(const PhaseShape& shape) {
    return node_in_tree(shape, number_in_tree(shape, shape.me)).child_count();
}

Gate gate(const PhaseShape& shape, std::int32_t step) {
    const std::int32_t number = number_in_tree(shape, shape.me);
    const std::int32_t children = node_in_tree(shape, number).child_count();
    if (step < children) {
        return {};
    }
    // Everything from below, then the result from above.
    return {number == 0 || step == children ? children : children + 1, 0};
}

Exchange at(const PhaseShape& shape, std::int32_t step) {
    const std::int32_t number = number_in_tree(shape, shape.me);
    const Node node = node_in_tree(shape, number);
    const std::int32_t children = node.child_count();
    Exchange result;
    if (step < children) {
        result.receive_from = member_at(shape, node.children[step]);
        return result;
    }
    result.bytes = shape.total();
    if (node.parent != no_rank && step == children) {
        const Node parent = node_in_tree(shape, node.parent);
        result.send_to = result.receive_from = member_at(shape, node.parent);
        result.arrives_in = parent.children[0] == number ? 0 : 1;
        return result;
    }
    const std::int32_t child = node.children[step - children - (node.parent != no_rank ? 1 : 0)];
    result.send_to = member_at(shape, child);
    result.arrives_in = node_in_tree(shape, child).child_count();
    return result;
}

}  // namespace npunet::engine::double_binary_tree

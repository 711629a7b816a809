// All-reduce over two binary trees that share the work: up to the root, reduced on the way, and
// down again. A member that is a leaf of one tree is, for even n, an inner node of the other.
//
// Each tree carries half of the data (Sanders, Speck, Traeff, "Two-tree algorithms for full
// bandwidth broadcast, reduction and scan", 2009). With h levels below the root, each message of
// S/2 bytes: 2 h (a + S/2 b) for one chunk where no two messages share a port; c chunks fill the
// tree as a pipeline, 2 h (a + S/2c b) + (c - 1) S/2c b, or a + S b where that is more: with a link
// for each pair, some link carries one tree's way up and the other's way down. Tree 0 has its root
// at member 0, whose only child heads an in-order binary tree of members 1 to n - 1; tree 1 is its
// mirror image (even n) or moved on by one member (odd n).
#pragma once

#include "engine/collective/phase.h"

namespace npunet::engine::double_binary_tree {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Gate gate(const PhaseShape& shape, std::int32_t step);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::double_binary_tree

// Broadcast, reduce, gather and scatter over a binomial tree: the number of members that have, or
// have handed in, their data doubles in every round.
//
// With n members, S bytes, latency a, seconds per byte b (Thakur, Rabenseifner, Gropp,
// "Optimization of Collective Communication Operations in MPICH", 2005), one message at a time:
//     broadcast, reduce   ceil(log2 n) (a + S b)
//     gather, scatter     ceil(log2 n) a + (n - 1)/n S b
// Places are counted from the root. Place v > 0 hangs below v without its lowest set bit, and heads
// the places v .. v + lowest bit - 1. A member sends to its largest subtree first.
#pragma once

#include "engine/collective/phase.h"

namespace npunet::engine::binomial_tree {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] Gate gate(const PhaseShape& shape, std::int32_t step);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::binomial_tree

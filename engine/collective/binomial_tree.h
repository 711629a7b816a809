// Broadcast, reduce, gather and scatter over a binomial tree: the number of members that have, or
// have handed in, their data doubles in every round.
//
// With n = 2^k members, S bytes, latency a, seconds per byte b (Thakur, Rabenseifner, Gropp,
// "Optimization of Collective Communication Operations in MPICH", 2005), one message at a time:
//     broadcast, reduce   k (a + S b)
//     gather, scatter     k a + (n - 1)/n S b
// Other n take at most the time of the next power of two.
// Places are counted from the root. Place v > 0 hangs below v without its lowest set bit, and heads
// the places v .. v + lowest bit - 1. A member sends to its largest subtree first.
#pragma once

#include "engine/collective/phase.h"

namespace npunet::engine::binomial_tree {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Gate gate(const PhaseShape& shape, std::int32_t step);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::binomial_tree

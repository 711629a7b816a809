// Halving-doubling and recursive doubling: in each of log2(n) rounds every member exchanges with
// the one whose number differs in one bit.
//
// With n = 2^k members, S bytes, latency a, seconds per byte b (Rabenseifner, "Optimization of
// Collective Reduction Operations", 2004; Thakur, Rabenseifner, Gropp, "Optimization of Collective
// Communication Operations in MPICH", 2005; Bruck et al., "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", 1997):
//     reduce-scatter (halving), all-gather (doubling)   k a + (n - 1)/n S b
//     all-reduce, halving-doubling                      2 k a + 2 (n - 1)/n S b
//     all-reduce, recursive doubling                    k (a + S b)
//     all-to-all (Bruck), n = 2^k                       k (a + S/2 b); any n: ceil(log2 n) rounds
// Other n fold the members beyond 2^k in before and out after (folding_in.h). The all-reduce begins
// with its neighbour, so that the large messages go short ways; reduce-scatter and all-gather keep
// their ranges contiguous and begin, or end, half the group away.
#pragma once

#include "engine/collective/phase.h"

namespace npunet::engine::halving_doubling {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::halving_doubling

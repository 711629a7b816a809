// Ring collectives: every member sends to the next and receives from the one before.
//
// With n members, S bytes (parts of S/n), latency a and seconds per byte b (Thakur, Rabenseifner,
// Gropp, "Optimization of Collective Communication Operations in MPICH", 2005; Patarasuk, Yuan,
// "Bandwidth optimal all-reduce algorithms", 2009):
//     reduce-scatter, all-gather   (n - 1) (a + S/n b)
//     all-reduce                   2 (n - 1) (a + S/n b)
//     all-to-all                   (n - 1) a + S (n - 1)/2 b, the blocks travelling hop by hop
// After the reduce-scatter member i holds part i.
#pragma once

#include "engine/collective/phase.h"

namespace npunet::engine::ring {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t window(const PhaseShape& shape);
[[nodiscard]] std::int32_t barrier(const PhaseShape& shape);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::ring

// Ring collectives: every member sends to the next and receives from the one before.
//
// With n members, S bytes (parts of S/n), latency a and seconds per byte b (Thakur, Rabenseifner,
// Gropp, "Optimization of Collective Communication Operations in MPICH", 2005; Patarasuk, Yuan,
// "Bandwidth optimal all-reduce algorithms", 2009):
//     reduce-scatter, all-gather   (n - 1) (a + S/n b)
//     all-reduce                   2 (n - 1) (a + S/n b)
//     all-to-all                   (n - 1) a + S (n - 1)/2 b, the blocks travelling hop by hop
//     broadcast, reduce            (n - 1) (a + S b): a chain, which chunks fill as a pipeline
// After the reduce-scatter member i holds part i. Lane 1 is the same ring the other way round: a
// bidirectional ring sends half of the data in each lane and takes half of the time where links
// have two directions (Chan, Heimlich, Purkayastha, van de Geijn, "Collective communication:
// theory, practice, and experience", 2007).
#pragma once

#include "engine/collective/phase.h"

namespace npunet::engine::ring {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] std::int32_t reductions(const PhaseShape& shape);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);
/// exchanges_alike().
[[nodiscard]] bool alike(const PhaseShape& shape);

}  // namespace npunet::engine::ring

// Direct collectives: every member exchanges with every other one, `window` peers at a time.
//
// With n members, S bytes, a full window and a link for every pair (latency a, seconds per byte b);
// through one port the n - 1 messages follow each other and b counts n - 1 times (Chan, Heimlich,
// Purkayastha, van de Geijn, "Collective communication: theory, practice, and experience", 2007):
//     reduce-scatter, all-gather, all-to-all   a + S/n b
//     all-reduce                               2 (a + S/n b): all parts are in before any goes out
// In exchange k of a round a member sends to the one k + 1 places after it and receives from the
// one k + 1 places before it.
//     broadcast, scatter                       the root sends n - 1 messages through its ports
//     reduce, gather                           the root receives n - 1 messages
// An unequal all-to-all sends to each member what it has for it, be it nothing.
#pragma once

#include "engine/collective/phase.h"

namespace npunet::engine::direct {

[[nodiscard]] std::int32_t count(const PhaseShape& shape);
[[nodiscard]] Gate gate(const PhaseShape& shape, std::int32_t step);
/// How many exchanges may be under way at a time.
[[nodiscard]] std::int32_t window(const PhaseShape& shape);
[[nodiscard]] Exchange at(const PhaseShape& shape, std::int32_t step);

}  // namespace npunet::engine::direct

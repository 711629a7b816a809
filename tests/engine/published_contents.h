// What the messages of the published algorithms carry, segment by segment, worked out from the
// papers alone and not from the schedules.
//
// A segment is a piece of a buffer that no message divides: one of n parts, one of 2^k shares
// (halving-doubling all-reduce), the whole buffer (trees, recursive doubling), or the block of one
// member for another (all-to-all, numbered origin x n + destination).
//
//     Holding holding = holding_at_first(phase, me);
//     std::vector<int> segments = segments_sent(phase, me, e, holding, to);
#pragma once

#include <bitset>
#include <map>
#include <vector>

#include "tests/engine/schedule_cases.h"

namespace npunet::test {

/// Whose contributions are in something.
using Members = std::bitset<128>;
/// What a member has, by segment.
using Holding = std::map<std::int32_t, Members>;

[[nodiscard]] Holding holding_at_first(const SharedPhase& phase, std::int32_t me);
/// What the member must have in the end, at least.
[[nodiscard]] Holding holding_at_last(const SharedPhase& phase, std::int32_t me);
/// What a member sends `to` another in its exchange e, while it has `holding`.
[[nodiscard]] std::vector<std::int32_t> segments_sent(const SharedPhase& phase, std::int32_t me,
                                                      std::int32_t e, const Holding& holding,
                                                      std::int32_t to);
/// Blocks of an all-to-all move; everything else is copied.
[[nodiscard]] bool segments_move(const SharedPhase& phase);
[[nodiscard]] Bytes segment_size(const SharedPhase& phase, std::int32_t segment);

/// The largest power of two within n, of n = 2^k + r.
[[nodiscard]] std::int32_t power_within(std::int32_t n);

}  // namespace npunet::test

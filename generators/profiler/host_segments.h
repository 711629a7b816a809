// What the CPU of one rank does between its launches: segments that begin when the thread goes on,
// and end where it launches, waits, or hands over to another thread.
//
//     const HostSegments segments = host_segments(activity);
//     segments.of_launch[i];        // the segment that operation i follows, -1 for none
//
// Rules (docs/profiles.md):
// - A launch ends a segment when its operation starts, but not after the call has ended and the
//   launch latency has passed since its begin. The latency is the median over operations that found
//   their stream idle.
// - A synchronization ends one at its begin; the next follows what was waited for, and begins when
//   the last of that has ended. So does a copy that ends within its call: that one waits for it,
//   and ends its segment when the latency has passed.
// - Threads that launch hand over to one another: where all of a thread's pause is filled (at least
//   half) by a turn of another's, the pause is no work; the segment behind follows the turn.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/profiler/rank_activity.h"
#include "generators/profiler/stream_order.h"

namespace npunet::generators::profiler {

struct HostSegment {
    std::int32_t thread = 0;
    Span span;
    std::vector<std::uint32_t> after_segments;    ///< indices; may be later ones of other threads
    std::vector<std::uint32_t> after_operations;  ///< whose end the thread waited for
};

struct HostSegments {
    std::vector<HostSegment> segments;    ///< threads one after the other, each by begin
    std::vector<std::int32_t> of_launch;  ///< by operation; -1: nothing before it, or no launch
};

[[nodiscard]] HostSegments host_segments(const RankActivity& activity, const StreamOrder& order);

}  // namespace npunet::generators::profiler

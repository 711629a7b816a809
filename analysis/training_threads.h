// The thread of the forward pass and the thread of autograd, told by the arrows (flows) between an
// operation of the forward pass and its gradient.
//
//     const TrainingThreads threads = training_threads(trace, nesting);
//     if (threads.known()) { ... }
#pragma once

#include <cstdint>
#include <limits>

#include "analysis/nesting.h"

namespace npunet::analysis {

inline constexpr std::uint32_t no_track = std::numeric_limits<std::uint32_t>::max();

struct TrainingThreads {
    std::uint32_t forward = no_track;
    std::uint32_t backward = no_track;

    [[nodiscard]] bool known() const { return forward != no_track; }
};

/// Of the two threads of the CPU with most ends of flows between operations of a duration, the one
/// with the larger share of outgoing ends is the forward pass's. Neither is known when there are no
/// two, or the shares tie. What of a flow is earlier is its outgoing end.
[[nodiscard]] TrainingThreads training_threads(const EventTable& trace, const Nesting& nesting);

/// Whether an event is one of a thread of the CPU.
[[nodiscard]] bool is_on_cpu(const EventTable& trace, EventId event);

}  // namespace npunet::analysis

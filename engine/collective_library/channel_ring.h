// One channel of a ring, in closed form: the members do the same at the same time, so that one of
// them stands for all, and what it receives is what it sent itself one hop earlier.
//
// A rank makes the calls of a loop in order: it sends, receives and sends on, and receives last. A
// call moves one chunk in one or two slices. A slice waits for its data, which is there one hop
// after the sender has ended its slice. Then it takes its time. Loops follow each other without a
// barrier. Slots of connections hold nothing back: members that do the same at the same time are
// never further apart than the slices of a call, and a connection has slots for more (4 slices of
// Simple, of which a call has 2; 8 of LL and LL128, of which it has one).
//
//     const Time time = ring_channel_time(work);    // until the last slice of the last call
//
// PAT is the same with calls that differ: in each a rank sends to one peer and has received from
// another, at a distance that halves or doubles from call to call (pat_schedule.h).
//
// Source: NCCL 2.30.7, src/device/all_reduce.h (runRing), prims_simple.h (genericOp).
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/quantities.h"

namespace npunet::engine {

/// The loops of a channel that are alike: the last one may be smaller.
struct RingLoops {
    std::int64_t loops = 1;
    std::int32_t slices = 1;      ///< of a call
    Time send;                    ///< of a slice that is sent, or received and sent on
    Time receive;                 ///< of a slice that is received last
    std::vector<Time> by_call{};  ///< in place of both, where calls differ

    [[nodiscard]] Time takes(std::int32_t call, std::int32_t calls) const {
        if (!by_call.empty()) {
            return by_call[static_cast<std::size_t>(call)];
        }
        return call + 1 < calls ? send : receive;
    }
};

struct RingChannel {
    std::int32_t calls = 2;  ///< of a loop, from 2: the first sends, the last receives
    Time hop;
    std::vector<RingLoops> work;
};

[[nodiscard]] Time ring_channel_time(const RingChannel& channel);

}  // namespace npunet::engine

// What a rank's part in a collective of a communication library has come to: where its blocks are
// (engine/collective_library/library_schedule.h).
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_library/library_schedule.h"

namespace npunet::engine {

/// One block of a member: the slice that it makes next, or is making.
struct ChannelBlock {
    static constexpr std::uint32_t none = 0xffffffff;

    std::size_t like = 0;              ///< of the schedule's work
    std::int64_t loop = 0;             ///< of those that are alike
    std::int64_t loops = 0;            ///< of all
    std::int32_t call = 0;             ///< of the loop
    std::int32_t slice = 0;            ///< of the call
    bool begun = false;                ///< the start of the kernel is over
    bool busy = false;                 ///< with that, or with the slice
    bool done = false;                 ///< with all slices
    std::int64_t sent = 0;             ///< slices
    std::int64_t received = 0;         ///< slices
    std::int64_t freed = 0;            ///< slots that the receiver has given back
    std::uint32_t peer_run = none;     ///< to which it sends; none before the first
    std::uint32_t peer_operation = 0;  ///< there
    std::uint32_t source_run = none;   ///< from which it receives; none before the first
    /// By slice that it receives: when the hop from its sender is over.
    std::vector<Time> usable;
    /// Slices that are in and not received, in any order.
    std::vector<std::uint32_t> ready;
};

/// One rank's blocks.
struct ChannelRun {
    std::shared_ptr<const LibrarySchedule> schedule;  ///< null before the rank has started
    std::vector<ChannelBlock> blocks;

    /// The next slice of a block; `done` after the last one.
    void advance(ChannelBlock& block) const {
        const std::vector<RingLoops>& work = schedule->work();
        if (++block.slice < work[block.like].slices) {
            return;
        }
        block.slice = 0;
        if (++block.call < schedule->calls()) {
            return;
        }
        block.call = 0;
        ++block.loops;
        if (++block.loop < work[block.like].loops) {
            return;
        }
        block.loop = 0;
        block.done = ++block.like == work.size();
    }
};

}  // namespace npunet::engine

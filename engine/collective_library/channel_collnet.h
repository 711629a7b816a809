// One channel of an all-reduce that switches between nodes add up (CollNet), in closed form: chunks
// follow each other along a chain of GPUs, or from all GPUs of a node, to the one that pushes them
// into the network; the results come back over the same steps.
//
// A member takes the same time for every chunk, as in a tree (channel_tree.h); up and down work at
// the same time. The one that pushes has `slots` chunks in the network at most, each from when it
// begins to push it until it has used the result. Slots inside a node hold nothing back.
//
// C++17-clean.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/quantities.h"

namespace npunet::engine {

struct CollNetChannel {
    std::int64_t near_steps = 0;  ///< to the one that pushes, inside the node
    Time near_hop;
    Time network;  ///< from the end of a push until the result may be used
    Time each;     ///< of a chunk at a member
    std::int64_t chunks = 1;
    std::int64_t slots = 8;
};

/// From the first chunk to the last at the member that is furthest from the network.
[[nodiscard]] constexpr Time collnet_channel_time(const CollNetChannel& channel) {
    // Chunk k begins one `each` after chunk k - 1, and when the slot of chunk k - slots is free.
    const Time round = std::max(channel.slots * channel.each, 2 * channel.each + channel.network);
    const std::int64_t last = channel.chunks - 1;
    const Time begun = (last / channel.slots) * round + (last % channel.slots) * channel.each;
    return 2 * channel.near_steps * (channel.near_hop + channel.each) + begun + channel.network +
           2 * channel.each;
}

}  // namespace npunet::engine

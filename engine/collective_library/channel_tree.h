// One channel of a tree, in closed form: chunks follow each other up to the root and down again.
//
// A member takes the same time for every chunk, whether it sends it, adds it up and sends it on,
// copies and sends it on, or receives it last. Up and down work at the same time in every member
// but the root, which turns a chunk in one call. Slots hold nothing back where they last for a hop
// there and one back.
//
//     const Time time = tree_channel_time(channel);    // until the last chunk at the lowest leaf
//
// Source: NCCL 2.30.7, src/device/all_reduce.h (runTreeSplit).
//
// C++17-clean.
#pragma once

#include <cstdint>

#include "base/quantities.h"

namespace npunet::engine {

struct TreeChannel {
    std::int64_t near_steps = 0;  ///< from the lowest leaf to the root, inside nodes
    std::int64_t far_steps = 0;   ///< and between them
    Time near_hop;
    Time far_hop;
    Time each;  ///< of a chunk at a member
    std::int64_t chunks = 1;
};

[[nodiscard]] constexpr Time tree_channel_time(const TreeChannel& channel) {
    return 2 * channel.near_steps * (channel.near_hop + channel.each) +
           2 * channel.far_steps * (channel.far_hop + channel.each) + channel.chunks * channel.each;
}

}  // namespace npunet::engine

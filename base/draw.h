// Numbers that look random and are the same on every machine: no state, no library distribution.
//
//     draw({seed, layer, micro_batch, rank});              // 64 bits
//     draw_below(n, {seed, layer, i});                     // 0 .. n-1
//
// A chain of SplitMix64's output function over the arguments.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "base/splitmix64.h"

namespace npunet {

[[nodiscard]] inline std::uint64_t draw(std::initializer_list<std::uint64_t> key) {
    std::uint64_t state = 0;
    for (const std::uint64_t part : key) {
        state = splitmix64(state ^ part);
    }
    return state;
}

/// n >= 1. The bias is below n / 2^64.
[[nodiscard]] inline std::uint64_t draw_below(std::uint64_t n,
                                              std::initializer_list<std::uint64_t> key) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(draw(key)) * n) >> 64U);
}

}  // namespace npunet

// A number that looks random and depends on a seed and two NPUs only: for spreading routes over
// equal links. The same on every machine and in every run.
//
//     std::size_t link = pair_hash(seed, from, to) % links;
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace npunet::topology {

/// The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15U;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

[[nodiscard]] constexpr std::uint64_t pair_hash(std::uint64_t seed, NodeId from, NodeId to) {
    const std::uint64_t pair =
        (static_cast<std::uint64_t>(from.value()) << 32U) | static_cast<std::uint64_t>(to.value());
    return mixed(mixed(seed) ^ pair);
}

}  // namespace npunet::topology

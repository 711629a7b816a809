// A number that looks random and depends on a seed and two NPUs only: for spreading routes over
// equal links. The same on every machine and in every run.
//
//     std::size_t link = pair_hash(seed, from, to) % links;
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/splitmix64.h"

namespace npunet::topology {

[[nodiscard]] constexpr std::uint64_t pair_hash(std::uint64_t seed, NodeId from, NodeId to) {
    const std::uint64_t pair =
        (static_cast<std::uint64_t>(from.value()) << 32U) | static_cast<std::uint64_t>(to.value());
    return splitmix64(splitmix64(seed) ^ pair);
}

}  // namespace npunet::topology

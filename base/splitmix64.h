// Numbers that look random and are the same on every machine, without a state: every bit of the
// argument changes every bit of the result with a probability near one half.
//
//     std::uint64_t drawn = splitmix64(splitmix64(seed) ^ key);
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>

namespace npunet {

/// The step and output function of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t number) {
    number += 0x9E3779B97F4A7C15U;
    number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
    number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
    return number ^ (number >> 31U);
}

}  // namespace npunet

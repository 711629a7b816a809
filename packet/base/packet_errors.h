#pragma once

#include <cmath>
#include <cstdint>

namespace npunet::packet {

/// Which transmissions are corrupted: the n-th transmission on a link, those of corrupted packets
/// included, is if a number drawn from (seed, link, n) lies below the error rate. A pure function,
/// so that results depend on nothing but the order of the packets on the link.
///
/// The number is mix(mix(mix(seed) + link) + n) / 2^64, where mix is SplitMix64's step and output
/// function (Steele, Lea and Flood, 2014).
///
///     PacketErrors errors(0.01, 1);
///     errors.is_corrupted(link, 0);
class PacketErrors {
public:
    /// @param rate probability, from 0 to below 1
    /// @param seed of what is drawn
    PacketErrors(double rate, std::uint64_t seed)
        : limit_(static_cast<std::uint64_t>(std::ldexp(rate, 64))), seed_(mix(seed)) {}

    /// @return whether there is any error
    bool any() const { return limit_ > 0; }

    /// @param link number of the link
    /// @param transmission how many went before it on the link
    /// @return whether it is corrupted
    bool is_corrupted(std::uint64_t link, std::uint64_t transmission) const {
        return mix(mix(seed_ + link) + transmission) < limit_;
    }

private:
    /// @param value any
    /// @return its bits, mixed
    static std::uint64_t mix(std::uint64_t value) {
        value += 0x9e3779b97f4a7c15U;
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
        value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
        return value ^ (value >> 31);
    }

    std::uint64_t limit_;  ///< numbers below it are errors
    std::uint64_t seed_;   ///< mixed
};

}  // namespace npunet::packet

// Which transmissions are corrupted: the n-th transmission on a link, retransmissions included, is
// if mix(mix(mix(seed) + link) + n) / 2^64 lies below the error rate, where mix is splitmix64(). A
// pure function, so that results depend only on the order of the packets on the link.
//
//     PacketErrors errors(0.01, 1);
//     errors.is_corrupted(link, 0);
#pragma once

#include "base/splitmix64.h"

#include <cmath>
#include <cstdint>

namespace npunet::packet {

class PacketErrors {
public:
    /// `rate` is a probability, from 0 to below 1.
    PacketErrors(double rate, std::uint64_t seed)
        : limit_(static_cast<std::uint64_t>(std::ldexp(rate, 64))), seed_(splitmix64(seed)) {}

    /// Whether the error rate is above 0.
    bool any() const { return limit_ > 0; }

    /// `transmission` counts from 0 on each link.
    bool is_corrupted(std::uint64_t link, std::uint64_t transmission) const {
        return splitmix64(splitmix64(seed_ + link) + transmission) < limit_;
    }

private:
    std::uint64_t limit_;  ///< mixed numbers below it are errors
    std::uint64_t seed_;   ///< mixed
};

}  // namespace npunet::packet

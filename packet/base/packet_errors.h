/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_ERRORS_H
#define NPU_PACKET_ERRORS_H

#include <cmath>
#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Which transmissions are corrupted: the n-th transmission on a link, those of corrupted packets
 * included, is if a number drawn from (seed, link, n) lies below the error rate. A pure function,
 * so that results depend on nothing but the order of the packets on the link.
 *
 * The number is mix(mix(mix(seed) + link) + n) / 2^64, where mix is SplitMix64's step and output
 * function (Steele, Lea and Flood, 2014).
 *
 *     PacketErrors errors(0.01, 1);
 *     errors.IsCorrupted(link, 0);
 */
class PacketErrors
{
  public:
    /**
     * @param rate probability, from 0 to below 1
     * @param seed of what is drawn
     */
    PacketErrors(double rate, std::uint64_t seed)
        : m_limit(static_cast<std::uint64_t>(std::ldexp(rate, 64))), m_seed(Mix(seed))
    {
    }

    /**
     * @return whether there is any error
     */
    bool
    Any() const
    {
        return m_limit > 0;
    }

    /**
     * @param link number of the link
     * @param transmission how many went before it on the link
     * @return whether it is corrupted
     */
    bool
    IsCorrupted(std::uint64_t link, std::uint64_t transmission) const
    {
        return Mix(Mix(m_seed + link) + transmission) < m_limit;
    }

  private:
    /**
     * @param value any
     * @return its bits, mixed
     */
    static std::uint64_t
    Mix(std::uint64_t value)
    {
        value += 0x9e3779b97f4a7c15U;
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
        value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
        return value ^ (value >> 31);
    }

    std::uint64_t m_limit; ///< numbers below it are errors
    std::uint64_t m_seed;  ///< mixed
};

} // namespace npunet::packet

#endif /* NPU_PACKET_ERRORS_H */

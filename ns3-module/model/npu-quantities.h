// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_QUANTITIES_H
#define NPU_QUANTITIES_H

#include "base/errors.h"
#include "base/quantities.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>

#include <cstdint>
#include <string>

// Times and rates of the fabric as those of ns-3, and back. Not installed.

namespace ns3
{

/**
 * @ingroup npunet
 * @param time of the fabric, not negative
 * @return the same for ns-3
 */
inline Time
TimeOf(npunet::Time time)
{
    return PicoSeconds(static_cast<uint64_t>(time.ps()));
}

/**
 * @ingroup npunet
 * @param time of ns-3
 * @return the same for the fabric
 */
inline npunet::Time
TimeOf(Time time)
{
    return npunet::Time::ps(time.GetPicoSeconds());
}

/**
 * @ingroup npunet
 * @param rate of the fabric
 * @return the same for ns-3
 */
inline DataRate
DataRateOf(npunet::Rate rate)
{
    return DataRate(static_cast<uint64_t>(rate.bytes_per_second()) * 8);
}

/**
 * @ingroup npunet
 * Throws npunet::InputError for rates below a byte/s, which would count as none.
 * @param rate of ns-3
 * @param name in messages
 * @return the rate in whole bytes/s
 */
inline npunet::Rate
RateOf(const DataRate& rate, const char* name)
{
    const uint64_t bits = rate.GetBitRate();
    if (bits > 0 && bits < 8)
    {
        throw npunet::InputError(
            {"", name, std::to_string(bits) + "bps", "0, or at least 8bps", ""});
    }
    return npunet::Rate(static_cast<int64_t>(bits / 8));
}

} // namespace ns3

#endif /* NPU_QUANTITIES_H */

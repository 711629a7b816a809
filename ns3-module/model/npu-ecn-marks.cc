/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "npu-ecn-marks.h"

#include "npu-congestion-control.h"

#include "base/quantities.h"
#include "topology/pair_hash.h"

namespace npunet::packet
{

EcnMarks::EcnMarks(const topology::NetworkDescription& description)
    : m_most(description.packet.ecn.pmax),
      m_seed(topology::mixed(description.packet.seed ^ 0x6d61726b))
{
    const CongestionNeeds needs = NeedsOf(description.packet.congestion_control);
    m_wanted = needs.echo || needs.notificationInterval > 0;
    const topology::EcnParameters& ecn = description.packet.ecn;
    const std::int64_t per = ecn.per.bytes_per_second();
    for (std::size_t number = 0; number < description.graph.links(); ++number)
    {
        const std::int64_t rate = description.graph.link(LinkId(number)).rate.bytes_per_second();
        const double share = per == 0 ? 1.0 : static_cast<double>(rate) / static_cast<double>(per);
        m_kmin.push_back(capped_whole(static_cast<double>(ecn.kmin.value()) * share));
        m_kmax.push_back(capped_whole(static_cast<double>(ecn.kmax.value()) * share));
    }
}

bool
EcnMarks::Marks(std::uint32_t link, std::uint64_t number, std::int64_t queued)
{
    if (queued <= m_kmin[link])
    {
        return false;
    }
    if (queued > m_kmax[link])
    {
        return true;
    }
    const double share = static_cast<double>(queued - m_kmin[link]) /
                         static_cast<double>(m_kmax[link] - m_kmin[link]);
    using topology::mixed;
    const std::uint64_t drawn = mixed(mixed(m_seed + link) + number);
    ++m_draws;
    // 53 bits are exact in a double.
    constexpr double unit = 1.0 / 9007199254740992.0;
    return static_cast<double>(drawn >> 11) * unit < m_most * share;
}

} // namespace npunet::packet

/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/ethernet/ecn_marks.h"

#include "packet/congestion/congestion_control.h"

#include "topology/marking.h"
#include "topology/pair_hash.h"

namespace npunet::packet
{

EcnMarks::EcnMarks(const topology::NetworkDescription& description)
    : m_most(description.packet.ecn.pmax),
      m_seed(topology::mixed(description.packet.seed ^ 0x6d61726b))
{
    const CongestionNeeds needs = NeedsOf(description.packet.congestion_control);
    m_wanted = needs.echo || needs.notificationInterval > 0;
    for (std::size_t number = 0; number < description.graph.links(); ++number)
    {
        const topology::MarkThresholds thresholds = topology::mark_thresholds(
            description.packet.ecn, description.graph.link(LinkId(number)).rate);
        m_kmin.push_back(thresholds.kmin.value());
        m_kmax.push_back(thresholds.kmax.value());
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

/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/congestion/dctcp.h"

#include "topology/congestion_parameters.h"

#include <algorithm>
#include <limits>

namespace npunet::packet
{

using topology::DctcpParameter;

Dctcp::Dctcp(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : m_parameters(choice, path), m_window(m_parameters[DctcpParameter::initial_window]),
      m_threshold(m_parameters[DctcpParameter::slow_start] > 0 ? std::numeric_limits<double>::max()
                                                               : 0),
      m_alpha(m_parameters[DctcpParameter::initial_alpha])
{
    Bound();
}

std::int64_t
Dctcp::Window() const
{
    return Rounded(m_window);
}

void
Dctcp::Acknowledged(const Acknowledgement& acknowledgement)
{
    m_next = acknowledgement.next;
    m_sent = acknowledgement.sent;
    m_acknowledged += acknowledgement.bytes;
    m_marked += acknowledgement.marked;
    m_marks += acknowledgement.marked > 0 ? 1 : 0;
    if (m_next > m_windowEnd && m_acknowledged > 0)
    {
        Average(static_cast<double>(m_marked) / static_cast<double>(m_acknowledged));
        m_windowEnd = m_sent;
        m_acknowledged = 0;
        m_marked = 0;
    }
    if (m_next <= m_recovery)
    {
        return;
    }
    if (acknowledgement.marked > 0)
    {
        Cut(1 - m_alpha / 2);
        return;
    }
    Grow(static_cast<double>(acknowledgement.bytes));
}

void
Dctcp::Lost(std::int64_t /* now */, bool timeout)
{
    if (timeout)
    {
        m_threshold = m_parameters[DctcpParameter::slow_start] > 0 ? m_window / 2 : 0;
        m_window = 0;
        m_recovery = m_next;
        Bound();
        return;
    }
    if (m_next > m_recovery)
    {
        Cut(0.5);
    }
}

void
Dctcp::Average(double fraction)
{
    const double gain = m_parameters[DctcpParameter::gain];
    m_alpha = (1 - gain) * m_alpha + gain * fraction;
    ++m_averages;
}

void
Dctcp::Scan(engine::StateScan& scan, const engine::FlowProgress& progress)
{
    scan.same(m_window);
    scan.same(m_threshold);
    ScanAlpha(scan);
    scan.same(m_acknowledged);
    scan.same(m_marked);
    // What the receiver expects from now on is m_next or more.
    scan.sequence_from(m_windowEnd, m_next - 1, progress);
    scan.sequence_from(m_recovery, m_next - 1, progress);
    scan.sequence(m_next, progress);
    scan.sequence(m_sent, progress);
}

void
Dctcp::ScanAlpha(engine::StateScan& scan)
{
    // Without marks alpha decays, and nobody asks for it.
    scan.fading(m_alpha, m_marks);
    const std::int64_t marks = m_marks;
    const std::int64_t averages = m_averages;
    scan.count(m_marks);
    scan.count(m_averages);
    if (marks == m_marks)
    {
        const std::int64_t until = m_averages;
        for (m_averages = averages; m_averages < until;)
        {
            Average(0);
        }
    }
}

void
Dctcp::Cut(double factor)
{
    m_window *= factor;
    m_threshold = 0;
    m_recovery = m_sent;
    Bound();
}

void
Dctcp::Grow(double bytes)
{
    if (m_window < m_threshold)
    {
        m_window += bytes;
    }
    else
    {
        const auto packet = static_cast<double>(m_parameters.Path().packet);
        m_window += m_parameters[DctcpParameter::window_ai] * packet * bytes / m_window;
    }
    Bound();
}

void
Dctcp::Bound()
{
    const double least =
        m_parameters[DctcpParameter::min_window] * static_cast<double>(m_parameters.Path().packet);
    m_window =
        std::clamp(m_window, least, std::max(least, m_parameters[DctcpParameter::max_window]));
}

} // namespace npunet::packet

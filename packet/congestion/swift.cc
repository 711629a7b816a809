/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/congestion/swift.h"

#include "topology/congestion_parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace npunet::packet
{

using topology::SwiftParameter;

Swift::Swift(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : m_parameters(choice, path),
      m_window(m_parameters[SwiftParameter::initial_window] / static_cast<double>(path.packet)),
      m_roundTrip(path.roundTrip), m_decreased(std::numeric_limits<std::int64_t>::min() / 2)
{
    Bound();
}

std::int64_t
Swift::Window() const
{
    const std::int64_t packet = m_parameters.Path().packet;
    const double bytes = m_window * static_cast<double>(packet);
    return std::max(packet, Rounded(bytes));
}

std::int64_t
Swift::Rate(std::int64_t /* now */)
{
    if (m_window >= 1)
    {
        return NO_PACING;
    }
    const double bytes = m_window * static_cast<double>(m_parameters.Path().packet);
    const double rate = bytes * 1e12 / static_cast<double>(m_roundTrip);
    return std::max(std::int64_t{1}, Rounded(rate));
}

double
Swift::Target() const
{
    const double range =
        m_parameters[SwiftParameter::fs_range] + m_parameters[SwiftParameter::fs_range_round_trips];
    const double atLeast = 1 / std::sqrt(m_parameters[SwiftParameter::fs_min_window]);
    const double atMost = 1 / std::sqrt(m_parameters[SwiftParameter::fs_max_window]);
    const double slope = range / (atLeast - atMost);
    const double scaling = slope * (1 / std::sqrt(m_window) - atMost);
    return m_parameters[SwiftParameter::base_target] +
           m_parameters[SwiftParameter::base_target_round_trips] +
           m_parameters.Path().hops * m_parameters[SwiftParameter::hop_scaling] +
           std::clamp(scaling, 0.0, range);
}

void
Swift::Acknowledged(const Acknowledgement& acknowledgement)
{
    m_timeouts = 0;
    if (acknowledgement.roundTrip < 0)
    {
        return;
    }
    m_roundTrip = std::max(std::int64_t{1}, acknowledgement.roundTrip);
    const auto delay = static_cast<double>(m_roundTrip);
    const double target = Target();
    if (delay < target)
    {
        const double packets = static_cast<double>(acknowledgement.bytes) /
                               static_cast<double>(m_parameters.Path().packet);
        m_window += m_parameters[SwiftParameter::window_ai] * packets / std::max(m_window, 1.0);
        Bound();
        return;
    }
    Decrease(acknowledgement.now,
             std::max(1 - m_parameters[SwiftParameter::beta] * (delay - target) / delay,
                      1 - m_parameters[SwiftParameter::max_mdf]));
}

void
Swift::Lost(std::int64_t now, bool timeout)
{
    m_timeouts = timeout ? m_timeouts + 1 : 0;
    if (m_timeouts >= m_parameters.Whole(SwiftParameter::reset_timeouts))
    {
        m_window = 0;
        Bound();
        return;
    }
    Decrease(now, 1 - m_parameters[SwiftParameter::max_mdf]);
}

void
Swift::Decrease(std::int64_t now, double factor)
{
    ++m_calls;
    if (m_decreased > now - m_roundTrip)
    {
        return;
    }
    const double before = m_window;
    m_window *= factor;
    Bound();
    if (m_window < before)
    {
        m_decreased = now;
    }
}

void
Swift::Scan(engine::StateScan& scan, const engine::FlowProgress& /* progress */)
{
    scan.same(m_window);
    scan.same(m_roundTrip);
    scan.same(std::int64_t{m_timeouts});
    // As long as nobody wants to decrease the window it makes no difference when that was last.
    scan.same(m_calls);
}

void
Swift::Bound()
{
    const double most = std::max(1.0,
                                 m_parameters[SwiftParameter::max_window] /
                                     static_cast<double>(m_parameters.Path().packet));
    m_window = std::clamp(m_window, m_parameters[SwiftParameter::min_window], most);
}

} // namespace npunet::packet

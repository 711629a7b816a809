/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/congestion/timely.h"

#include "topology/congestion_parameters.h"

#include <algorithm>

namespace npunet::packet
{

using topology::TimelyParameter;

Timely::Timely(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : m_parameters(choice, path), m_rate(static_cast<double>(path.rate))
{
}

std::int64_t
Timely::Rate(std::int64_t /* now */)
{
    return std::max(std::int64_t{1}, Rounded(m_rate));
}

double
Timely::Gradient() const
{
    return m_difference / static_cast<double>(m_parameters.Path().roundTrip);
}

void
Timely::Acknowledged(const Acknowledgement& acknowledgement)
{
    m_bytes += acknowledgement.bytes;
    if (acknowledgement.roundTrip < 0 || m_bytes < m_parameters.Whole(TimelyParameter::segment) ||
        acknowledgement.next <= m_roundEnd)
    {
        return;
    }
    m_bytes = 0;
    if (m_parameters[TimelyParameter::every_round_trip] > 0)
    {
        m_roundEnd = acknowledgement.sent;
    }
    Update(acknowledgement.roundTrip);
}

void
Timely::Scan(engine::StateScan& scan, const engine::FlowProgress& progress)
{
    scan.same(m_rate);
    ScanGradient(scan);
    scan.same(m_roundTrip);
    scan.same(m_bytes);
    if (m_parameters[TimelyParameter::every_round_trip] > 0)
    {
        scan.sequence(m_roundEnd, progress);
    }
}

void
Timely::Average(std::int64_t roundTrip)
{
    if (m_roundTrip >= 0)
    {
        const double weight = m_parameters[TimelyParameter::ewma_weight];
        m_difference =
            (1 - weight) * m_difference + weight * static_cast<double>(roundTrip - m_roundTrip);
    }
    m_roundTrip = roundTrip;
    m_falling = Gradient() <= 0 ? m_falling + 1 : 0;
    ++m_averages;
}

void
Timely::ScanGradient(engine::StateScan& scan)
{
    // As long as all round trips are the same and short, it decays, and nobody asks for it.
    scan.fading(m_difference, m_changes);
    // Beyond the threshold it makes no difference how many there were.
    const auto falling =
        std::min<std::int64_t>(m_falling, m_parameters.Whole(TimelyParameter::hai_threshold));
    scan.fading(static_cast<double>(falling), m_changes);
    const std::int64_t changes = m_changes;
    const std::int64_t averages = m_averages;
    scan.count(m_changes);
    scan.count(m_averages);
    if (changes == m_changes)
    {
        const std::int64_t until = m_averages;
        for (m_averages = averages; m_averages < until;)
        {
            Average(m_roundTrip);
        }
    }
}

void
Timely::Update(std::int64_t roundTrip)
{
    const double low = Low();
    const auto time = static_cast<double>(roundTrip);
    m_changes += roundTrip != m_roundTrip || !(time < low) ? 1 : 0;
    Average(roundTrip);
    const double gradient = Gradient();
    const double high = std::max(low,
                                 m_parameters[TimelyParameter::t_high] +
                                     m_parameters[TimelyParameter::t_high_round_trips]);
    const double increase = m_parameters[TimelyParameter::rate_ai];
    const double beta = m_parameters[TimelyParameter::beta];
    if (time < low)
    {
        m_rate += increase;
    }
    else if (time > high)
    {
        m_rate *= 1 - beta * (1 - high / time);
    }
    else if (gradient <= 0)
    {
        const bool hyper = m_falling >= m_parameters.Whole(TimelyParameter::hai_threshold);
        m_rate += hyper ? m_parameters[TimelyParameter::hai_factor] * increase : increase;
    }
    else
    {
        m_rate *= 1 - beta * gradient;
    }
    const auto line = static_cast<double>(m_parameters.Path().rate);
    m_rate = std::clamp(m_rate, std::min(m_parameters[TimelyParameter::min_rate], line), line);
}

} // namespace npunet::packet

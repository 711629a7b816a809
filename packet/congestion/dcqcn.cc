/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/congestion/dcqcn.h"

#include "topology/congestion_parameters.h"

#include <algorithm>

namespace npunet::packet
{

using topology::DcqcnParameter;

namespace
{

/**
 * By squaring: std::pow() differs from library to library.
 * @param base 0 to 1
 * @param exponent from 0
 * @return base to the power of exponent
 */
double
Power(double base, std::int64_t exponent)
{
    double result = 1;
    for (; exponent > 0 && result > 0; exponent /= 2)
    {
        if (exponent % 2 == 1)
        {
            result *= base;
        }
        base *= base;
    }
    return result;
}

} // namespace

Dcqcn::Dcqcn(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : m_parameters(choice, path), m_rate(path.rate), m_target(path.rate)
{
}

double
Dcqcn::Alpha(std::int64_t now) const
{
    if (m_notified < 0)
    {
        return m_alpha;
    }
    const std::int64_t periods =
        (now - m_notified) / m_parameters.Whole(DcqcnParameter::alpha_timer);
    return m_alpha * Power(1 - m_parameters[DcqcnParameter::gain], periods);
}

std::int64_t
Dcqcn::Rate(std::int64_t now)
{
    Advance(now);
    return m_rate;
}

void
Dcqcn::PacketSent(std::int64_t now, std::int64_t wire)
{
    if (m_notified < 0)
    {
        return;
    }
    Advance(now);
    const std::int64_t counter = m_parameters.Whole(DcqcnParameter::byte_counter);
    m_bytes += wire;
    for (; m_bytes >= counter; m_bytes -= counter)
    {
        ++m_bytePeriods;
        Increase();
    }
}

void
Dcqcn::Notified(std::int64_t now)
{
    Advance(now);
    const double alpha = Alpha(now);
    const double gain = m_parameters[DcqcnParameter::gain];
    const std::int64_t least =
        std::clamp(m_parameters.Whole(DcqcnParameter::min_rate), std::int64_t{1}, m_rate);
    if (m_ticks > 0 || m_parameters[DcqcnParameter::clamp_target_rate] != 0)
    {
        m_target = m_rate;
    }
    m_rate = std::max(least, Rounded(static_cast<double>(m_rate) * (1 - alpha / 2)));
    m_alpha = (1 - gain) * alpha + gain;
    m_notified = now;
    m_bytes = 0;
    m_ticks = 0;
    m_bytePeriods = 0;
}

void
Dcqcn::Advance(std::int64_t now)
{
    if (m_notified < 0)
    {
        return;
    }
    const std::int64_t ticks =
        (now - m_notified) / m_parameters.Whole(DcqcnParameter::increase_timer);
    if (ticks > m_ticks)
    {
        Tick(ticks - m_ticks);
    }
}

void
Dcqcn::Tick(std::int64_t ticks)
{
    const auto threshold = m_parameters.Whole(DcqcnParameter::fast_recovery);
    while (ticks > 0)
    {
        const std::int64_t line = m_parameters.Path().rate;
        if (m_rate == line)
        {
            m_ticks += ticks;
            return;
        }
        const std::int64_t gap = m_target - m_rate;
        ++m_ticks;
        --ticks;
        Increase();
        // Once T has passed the threshold every further tick raises the target by the same; when
        // the gap between rate and target does not change any more, both just move on together.
        const std::int64_t raise = Raise();
        if (m_ticks > threshold && m_target - m_rate == gap && raise > 0)
        {
            const std::int64_t steps = std::min(ticks, (line - m_target) / raise);
            m_target += steps * raise;
            m_rate += steps * raise;
            m_ticks += steps;
            ticks -= steps;
        }
    }
}

std::int64_t
Dcqcn::Raise() const
{
    const std::int64_t threshold = m_parameters.Whole(DcqcnParameter::fast_recovery);
    if (std::max(m_ticks, m_bytePeriods) < threshold)
    {
        return 0;
    }
    const bool hyper = std::min(m_ticks, m_bytePeriods) > threshold;
    const std::size_t step = hyper ? DcqcnParameter::rate_hai : DcqcnParameter::rate_ai;
    return std::max(std::int64_t{1}, m_parameters.Whole(step));
}

void
Dcqcn::Scan(engine::StateScan& scan, const engine::FlowProgress& /* progress */)
{
    scan.same(m_rate);
    scan.same(m_alpha);
    scan.same(std::int64_t{m_notified < 0});
    if (m_rate == m_parameters.Path().rate)
    {
        // Increases change nothing, and the next CNP begins anew but for alpha.
        scan.lasting(m_notified);
        return;
    }
    scan.same(m_target);
    scan.instant(m_notified);
    scan.same(m_bytes);
    scan.same(m_ticks);
    scan.same(m_bytePeriods);
}

void
Dcqcn::Increase()
{
    m_target = std::min(m_target + Raise(), m_parameters.Path().rate);
    m_rate += (m_target - m_rate + 1) / 2;
}

} // namespace npunet::packet

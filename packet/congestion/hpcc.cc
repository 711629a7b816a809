/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/congestion/hpcc.h"

#include "topology/congestion_parameters.h"

#include <algorithm>

namespace npunet::packet
{

using topology::HpccParameter;

namespace
{

/**
 * @param path of a queue pair
 * @return bytes that its first link sends in a round trip
 */
double
MostWindow(const FlowPath& path)
{
    return static_cast<double>(path.rate) * static_cast<double>(path.roundTrip) / 1e12;
}

} // namespace

Hpcc::Hpcc(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : m_parameters(choice, path), m_window(MostWindow(path)), m_reference(m_window)
{
}

std::int64_t
Hpcc::Window() const
{
    // Whole packets, upwards: the rate does the rest.
    const std::int64_t packet = m_parameters.Path().packet;
    const std::int64_t packets = (Rounded(m_window) + packet - 1) / packet;
    return std::max(packets, std::int64_t{1}) * packet;
}

std::int64_t
Hpcc::Rate(std::int64_t /* now */)
{
    const FlowPath& path = m_parameters.Path();
    const double rate = m_window * 1e12 / static_cast<double>(path.roundTrip);
    return std::clamp(Rounded(rate), std::int64_t{1}, path.rate);
}

void
Hpcc::Acknowledged(const Acknowledgement& acknowledgement)
{
    if (acknowledgement.hops == 0)
    {
        return;
    }
    // Nothing can be measured on a path that has just been taken.
    if (m_links.size() != acknowledgement.hops)
    {
        m_roundEnd = acknowledgement.sent;
        Keep(acknowledgement);
        return;
    }
    Measure(acknowledgement);
    const bool first = acknowledgement.next > m_roundEnd;
    Compute(first);
    if (first)
    {
        m_roundEnd = acknowledgement.sent;
    }
    Keep(acknowledgement);
}

void
Hpcc::Keep(const Acknowledgement& acknowledgement)
{
    m_links.resize(acknowledgement.hops);
    for (std::uint32_t hop = 0; hop < acknowledgement.hops; ++hop)
    {
        const HopTelemetry& seen = acknowledgement.telemetry[hop];
        m_links[hop] = {seen.time, seen.sent, seen.queue};
    }
}

void
Hpcc::Measure(const Acknowledgement& acknowledgement)
{
    const auto roundTrip = static_cast<double>(m_parameters.Path().roundTrip);
    double largest = -1;
    double interval = 0;
    for (std::uint32_t hop = 0; hop < acknowledgement.hops; ++hop)
    {
        const HopTelemetry& now = acknowledgement.telemetry[hop];
        const Link& before = m_links[hop];
        if (now.time <= before.time)
        {
            continue;
        }
        const auto rate = static_cast<double>(now.rate) / 1e12;
        const auto elapsed = static_cast<double>(now.time - before.time);
        const auto waiting = static_cast<double>(std::min(now.queue, before.queue));
        const double utilisation = waiting / (rate * roundTrip) +
                                   static_cast<double>(now.sent - before.sent) / (elapsed * rate);
        if (utilisation > largest)
        {
            largest = utilisation;
            interval = elapsed;
        }
    }
    if (largest >= 0)
    {
        const double weight = std::min(interval, roundTrip) / roundTrip;
        m_utilisation = (1 - weight) * m_utilisation + weight * largest;
    }
}

void
Hpcc::Compute(bool first)
{
    const double eta = m_parameters[HpccParameter::eta];
    const double most = MostWindow(m_parameters.Path());
    const bool multiplicative =
        m_utilisation >= eta || m_stage >= m_parameters.Whole(HpccParameter::max_stage);
    // An idle path may have a utilisation of 0.
    const double scaled =
        multiplicative ? m_reference * eta / std::max(m_utilisation, 1e-9) : m_reference;
    m_window = std::min(scaled + m_parameters[HpccParameter::window_ai], most);
    if (first)
    {
        m_stage = multiplicative ? 0 : m_stage + 1;
        m_reference = m_window;
    }
}

} // namespace npunet::packet

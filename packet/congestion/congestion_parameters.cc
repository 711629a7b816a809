/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet/congestion/congestion_parameters.h"

#include <cassert>

namespace npunet::packet
{

CongestionParameters::CongestionParameters(const topology::CongestionControlChoice& choice,
                                           const FlowPath& path)
    : m_choice(&choice), m_path(path)
{
    assert(choice.values.size() == topology::parameters_of(choice.algorithm).size());
    assert(path.rate > 0 && path.slowest > 0 && path.roundTrip > 0 && path.packet > 0);
}

double
CongestionParameters::operator[](std::size_t parameter) const
{
    constexpr double GBPS_25 = 3.125e9;
    const double value = m_choice->values[parameter];
    switch (topology::parameters_of(m_choice->algorithm)[parameter].scale)
    {
    case topology::ParameterScale::None:
        break;
    case topology::ParameterScale::Per25Gbps:
        return m_choice->scaled ? value * (static_cast<double>(m_path.rate) / GBPS_25) : value;
    case topology::ParameterScale::PerBandwidthDelay:
        return value * m_path.BandwidthDelay();
    case topology::ParameterScale::PerRoundTrip:
        return value * static_cast<double>(m_path.roundTrip);
    }
    return value;
}

std::int64_t
CongestionParameters::Whole(std::size_t parameter) const
{
    return Rounded((*this)[parameter]);
}

} // namespace npunet::packet

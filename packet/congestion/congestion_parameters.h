/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_CONGESTION_PARAMETERS_H
#define NPU_CONGESTION_PARAMETERS_H

#include "packet/congestion/congestion_control.h"

#include "base/quantities.h"

#include <cmath>
#include <cstddef>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * @param value any
 * @return the nearest integer, from -2^60 to 2^60
 */
inline std::int64_t
Rounded(double value)
{
    return capped_whole(std::round(value));
}

/**
 * @ingroup npunet
 * The parameters of a congestion control algorithm as they count for one queue pair: multiplied by
 * what topology::ParameterScale says. The choice is shared by all queue pairs.
 *
 *     double increase = parameters[topology::DcqcnParameter::rate_ai];
 */
class CongestionParameters
{
  public:
    /**
     * @param choice outlives this
     * @param path of the queue pair
     */
    CongestionParameters(const topology::CongestionControlChoice& choice, const FlowPath& path);

    /**
     * @param parameter its place among the values of the choice
     * @return its value: ps, bytes/s, bytes, or a number
     */
    double operator[](std::size_t parameter) const;

    /**
     * @param parameter its place among the values of the choice
     * @return its value, to the nearest whole number
     */
    std::int64_t Whole(std::size_t parameter) const;

    /**
     * @return the path
     */
    const FlowPath&
    Path() const
    {
        return m_path;
    }

  private:
    const topology::CongestionControlChoice* m_choice; ///< of all queue pairs
    FlowPath m_path;                                   ///< of this one
};

} // namespace npunet::packet

#endif /* NPU_CONGESTION_PARAMETERS_H */

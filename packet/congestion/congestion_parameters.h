#pragma once

#include "packet/congestion/congestion_control.h"

#include "base/quantities.h"

#include <cmath>
#include <cstddef>

namespace npunet::packet {

/// @param value any
/// @return the nearest integer, from -2^60 to 2^60
inline std::int64_t rounded(double value) {
    return capped_whole(std::round(value));
}

/// The parameters of a congestion control algorithm as they count for one queue pair: multiplied by
/// what topology::ParameterScale says. The choice is shared by all queue pairs.
///
///     double increase = parameters[topology::DcqcnParameter::rate_ai];
class CongestionParameters {
public:
    /// @param choice outlives this
    /// @param path of the queue pair
    CongestionParameters(const topology::CongestionControlChoice& choice, const FlowPath& path);

    /// @param parameter its place among the values of the choice
    /// @return its value: ps, bytes/s, bytes, or a number
    double operator[](std::size_t parameter) const;

    /// @param parameter its place among the values of the choice
    /// @return its value, to the nearest whole number
    std::int64_t whole(std::size_t parameter) const;

    /// @return the path
    const FlowPath& path() const { return path_; }

private:
    const topology::CongestionControlChoice* choice_;  ///< of all queue pairs
    FlowPath path_;                                    ///< of this one
};

}  // namespace npunet::packet

// The parameters of a congestion control algorithm in effect for one queue pair, multiplied as
// their topology::ParameterScale says. All queue pairs share the choice.
//
//     double increase = parameters[topology::DcqcnParameter::rate_ai];
#pragma once

#include "packet/congestion/congestion_control.h"

#include "base/quantities.h"

#include <cmath>
#include <cstddef>

namespace npunet::packet {

/// The nearest integer, from -2^60 to 2^60; 0 for a NaN.
inline std::int64_t rounded(double value) {
    return capped_whole(std::round(value));
}

class CongestionParameters {
public:
    /// The choice must outlive this.
    CongestionParameters(const topology::CongestionControlChoice& choice, const FlowPath& path);

    /// A value, by its index in the choice's values: ps, bytes/s, bytes, or a number.
    double operator[](std::size_t parameter) const;

    /// The same, rounded to the nearest integer.
    std::int64_t whole(std::size_t parameter) const;

    const FlowPath& path() const { return path_; }

private:
    const topology::CongestionControlChoice* choice_;
    FlowPath path_;
};

}  // namespace npunet::packet

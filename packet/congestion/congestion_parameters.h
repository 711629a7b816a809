// The parameters of a congestion control algorithm for one queue pair: the values of a choice,
// multiplied as their topology::ParameterScale says. Each algorithm reads them once, when it is
// created, into a struct of its own.
//
//     const CongestionParameters given(choice, path);
//     return {.rate_ai = given.whole(topology::DcqcnParameter::rate_ai)};
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
    /// Both must outlive this.
    CongestionParameters(const topology::CongestionControlChoice& choice, const FlowPath& path);

    /// A value, by its index in the choice's values: ps, bytes/s, bytes, or a number.
    double operator[](std::size_t parameter) const;

    /// The same, rounded to the nearest integer.
    std::int64_t whole(std::size_t parameter) const { return rounded((*this)[parameter]); }

    /// The same, of a parameter that is true or false.
    bool flag(std::size_t parameter) const { return (*this)[parameter] != 0; }

private:
    const topology::CongestionControlChoice& choice_;
    const FlowPath& path_;
};

}  // namespace npunet::packet

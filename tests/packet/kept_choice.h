// Parameters of congestion control for sequences worked out by hand.
//
//     Dctcp dctcp(kept_choice(topology::paper_choice(algorithm), {{Parameter::gain, 0.25}}), path);
#pragma once

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <utility>

#include "topology/parameters/congestion_control.h"

namespace npunet::packet_test {

/// Parameters and their values.
using OtherValues = std::initializer_list<std::pair<std::size_t, double>>;

/// A choice with other values, `more` last. It is there to the end of the program: algorithms refer
/// to theirs.
inline const topology::CongestionControlChoice& kept_choice(
    topology::CongestionControlChoice choice, OtherValues values, OtherValues more = {}) {
    static std::deque<topology::CongestionControlChoice> all;
    for (const OtherValues& changes : {values, more}) {
        for (const auto& [parameter, value] : changes) {
            choice.values[parameter] = value;
        }
    }
    all.push_back(std::move(choice));
    return all.back();
}

}  // namespace npunet::packet_test

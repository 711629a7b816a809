// Parameters of congestion control for sequences worked out by hand.
//
//     Dctcp dctcp(choice_with(topology::paper_choice(algorithm), {{Parameter::gain, 0.25}}), path);
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>

#include "topology/parameters/congestion_control.h"

namespace npunet::packet_test {

/// Parameters and their values.
using OtherValues = std::initializer_list<std::pair<std::size_t, double>>;

/// A choice with other values, `more` last.
inline topology::CongestionControlChoice choice_with(topology::CongestionControlChoice choice,
                                                     OtherValues values, OtherValues more = {}) {
    for (const OtherValues& changes : {values, more}) {
        for (const auto& [parameter, value] : changes) {
            choice.values[parameter] = value;
        }
    }
    return choice;
}

}  // namespace npunet::packet_test

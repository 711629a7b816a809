#include "packet/congestion/congestion_parameters.h"

#include <cassert>

namespace npunet::packet {

CongestionParameters::CongestionParameters(const topology::CongestionControlChoice& choice,
                                           const FlowPath& path)
    : choice_(choice), path_(path) {
    assert(choice.values.size() == topology::parameters_of(choice.algorithm).size());
    assert(path.rate > 0 && path.slowest > 0 && path.round_trip > 0 && path.packet > 0);
}

double CongestionParameters::operator[](std::size_t parameter) const {
    constexpr double gbps_25 = 3.125e9;
    const double value = choice_.values[parameter];
    switch (topology::parameters_of(choice_.algorithm)[parameter].scale) {
        case topology::ParameterScale::None:
            break;
        case topology::ParameterScale::Per25Gbps:
            return choice_.scaled ? value * (static_cast<double>(path_.rate) / gbps_25) : value;
        case topology::ParameterScale::PerBandwidthDelay:
            return value * path_.bandwidth_delay();
        case topology::ParameterScale::PerRoundTrip:
            return value * static_cast<double>(path_.round_trip);
    }
    return value;
}

}  // namespace npunet::packet

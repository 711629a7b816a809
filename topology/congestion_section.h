// The key congestion_control of a network.yml's section packet, and the section with the
// parameters of the algorithm:
//
//     packet:
//         congestion_control: dcqcn
//         dcqcn: {preset: paper, rate_ai: 5Mbps}
#pragma once

#include "base/yaml_field.h"
#include "topology/congestion_control.h"

namespace npunet::topology {

/// What the section `packet` says: the default is none. The values of an algorithm are its
/// defaults, or with `preset: paper` its paper's, where no key of the algorithm's section gives
/// another. Throws InputError, also for the section of an algorithm that is not chosen.
[[nodiscard]] CongestionControlChoice read_congestion_control(const YamlField& packet,
                                                              const UnknownKeys& unknown);

}  // namespace npunet::topology

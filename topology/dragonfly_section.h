// The section `Dragonfly` of a network.yml.
//
//     Dragonfly: {a: 4, p: 2, h: 2, groups: 9, bandwidth: [50, 50, 50], latency: [100, 100, 1us]}
#pragma once

#include "topology/own_network.h"

namespace npunet::topology {

/// Throws InputError for more groups than the global links join.
[[nodiscard]] OwnNetwork read_dragonfly(const YamlField& section, GigaByte gigabyte,
                                        const UnknownKeys& unknown);

}  // namespace npunet::topology

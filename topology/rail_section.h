// The section `Rail` of a network.yml.
//
//     Rail:
//         servers: 16
//         npus_per_server: 8
//         scale_up: {kind: switch, bandwidth: 450, latency: 100}
//         scale_out: {levels: 2, radix: 16, bandwidth: 50, latency: 500}
#pragma once

#include "topology/own_network.h"

namespace npunet::topology {

[[nodiscard]] OwnNetwork read_rail(const YamlField& section, GigaByte gigabyte,
                                   const UnknownKeys& unknown);

}  // namespace npunet::topology

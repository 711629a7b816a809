// The section `Custom` of a network.yml: any graph, node by node and link by link.
//
//     Custom:
//         nodes: [{name: gpu0, kind: npu}, {name: gpu1, kind: npu}, {name: tor, kind: switch}]
//         links:
//             - {from: gpu0, to: tor, bandwidth: 50, latency: 500}
//             - {from: gpu1, to: tor, bandwidth: 25, latency: 500, count: 2}
//
// or `Custom: {file: cluster.txt}` with one line a link, FROM TO BANDWIDTH LATENCY and then, where
// wanted, COUNT and `both` or `forward`; lines `npu NAME ...` and `switch NAME ...` name the nodes.
#pragma once

#include "topology/own_network.h"

namespace npunet::topology {

/// Throws InputError for names that are unknown or given twice, links from a node to itself, and
/// NPUs that cannot reach each other.
[[nodiscard]] OwnNetwork read_custom(const YamlField& section, GigaByte gigabyte,
                                     const UnknownKeys& unknown);

}  // namespace npunet::topology

// The section `faults` of a network.yml: a list of links and NPUs with what is wrong with them.
//
//     faults:
//         - {link: [3, 7], at: 2ms, until: 5ms, bandwidth_factor: 0.1}
//         - {npu: 5, slowdown: 1.3}
#pragma once

#include "base/yaml_field.h"
#include "topology/network_description.h"

namespace npunet::topology {

/// Sets the faults of a network whose graph is already built. Throws InputError for links and NPUs
/// that do not exist, spans that end before they begin, factors out of range, and entries without
/// effect.
void read_faults_section(const YamlField& section, const UnknownKeys& unknown,
                         NetworkDescription& network);

}  // namespace npunet::topology

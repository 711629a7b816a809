// A network description from memory instead of a file, for programs that put their networks
// together.
//
//     NetworkDescription ring = parse_network(
//         "{topology: [Ring], npus_count: [8], bandwidth: [50], latency: [500]}", "my ring");
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <string>
#include <vector>

#include "topology/network_description.h"

namespace npunet::topology {

/// What read_network() says of a file with this text; `name` stands for the file in messages. GB/s
/// are 10^9 bytes per second, and unknown keys are errors.
[[nodiscard]] NetworkDescription parse_network(const std::string& text, const std::string& name,
                                               std::vector<std::string>* warnings = nullptr);

}  // namespace npunet::topology

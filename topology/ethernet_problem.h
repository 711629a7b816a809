// What networks without credits, with Ethernet-like switches, cannot work with: packets that never
// find room, and links that nobody can ask to pause.
//
//     if (const auto problem = ethernet_problem(network)) { ... refuse(problem->found, ...) }
//
// C++17-clean: reached from the ns-3 module.
#pragma once

#include <optional>
#include <string>

#include "topology/network_description.h"

namespace npunet::topology {

/// The parts of an InputError.
struct EthernetProblem {
    std::string key;  ///< of the section packet that it is about: "pfc.headroom", "buffer", ...
    std::string found;
    std::string expected;
    std::string remedy;
};

/// The first one that there is; nothing with credits. In time proportional to the links.
[[nodiscard]] std::optional<EthernetProblem> ethernet_problem(const NetworkDescription& network);

}  // namespace npunet::topology

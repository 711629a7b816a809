// Which packet parameters go together, and what networks without credits, with Ethernet-like
// switches, cannot work with: packets that never find room, and links without a link back for
// requests to pause.
//
//     check_transport(network, network.file, "packet");
//     if (const auto problem = ethernet_problem(network)) { ... refuse(problem->found, ...) }
//
// C++17-clean: reached from the ns-3 module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/network/network_description.h"

namespace npunet::topology {

/// Whether a network may lose packets that no transport sends again.
enum class Losses : std::uint8_t {
    Refused,
    Allowed  ///< for datagrams; the loss of a message ends the run
};

/// What contradicts another parameter, cannot work, or has no effect in the packet parameters of
/// networks with Ethernet-like switches; throws InputError. `file` and the place are for its
/// message. With `warnings`, what may well lose packets where nothing should be lost, or deadlock
/// with pauses (topology/network/pause_cycle.h), goes there.
void check_transport(const NetworkDescription& network, const std::string& file,
                     const std::string& place, std::vector<std::string>* warnings = nullptr,
                     Losses losses = Losses::Refused);

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

// The section `packet` of a network.yml: parameters of the packet machine, and the routing.
#pragma once

#include <string>
#include <vector>

#include "topology/network_description.h"
#include "topology/yaml_field.h"

namespace npunet::topology {

/// What to do with keys that nobody knows.
struct UnknownKeys {
    bool tolerated = false;                        ///< a warning instead of an error
    std::vector<std::string>* warnings = nullptr;  ///< may be null
};

/// Passes every key of a map that is `known`, refuses those that are only `planned` as not offered
/// by this version, and treats the others as `unknown` says.
void check_keys(const YamlField& map, const std::vector<std::string>& known,
                const std::vector<std::string>& planned, const UnknownKeys& unknown);

/// Sets routing and packet parameters of a network whose graph is already built.
void read_packet_section(const YamlField& section, const UnknownKeys& unknown,
                         NetworkDescription& network);

}  // namespace npunet::topology

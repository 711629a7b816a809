// Presets of the section `packet` of a network.yml: settings of deployed networks, under a name.
//
//     packet:
//         preset: roce-2025
//         ecn: {kmax: 1MB}          # what the section says itself goes before the preset
#pragma once

#include <string>
#include <vector>

#include "base/yaml_field.h"
#include "topology/parameters/packet_parameters.h"

namespace npunet::topology {

[[nodiscard]] const std::vector<std::string>& packet_preset_names();

/// The section with the values of the preset that its key `preset` names, where it has none of its
/// own; the section itself without this key. Where it has another congestion control, the
/// preset's parameters of its own are left out. Refuses other names.
[[nodiscard]] YamlField with_preset(const YamlField& section);

/// The packet parameters of a network whose section consists of the preset alone. Throws InputError
/// for other names.
[[nodiscard]] PacketParameters preset_parameters(const std::string& name);

}  // namespace npunet::topology

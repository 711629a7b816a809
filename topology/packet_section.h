// The section `packet` of a network.yml: parameters of the packet machine, and the routing.
#pragma once

#include <cstdint>
#include <optional>

#include "base/yaml_field.h"
#include "topology/network_description.h"
#include "topology/own_network.h"

namespace npunet::topology {

/// Sets routing and packet parameters of a network whose graph is already built. `own`: the
/// routings of a network that is no product; null for products. `seed` stands instead of the
/// section's.
void read_packet_section(const YamlField& section, const UnknownKeys& unknown,
                         const RoutingChoice* own, GigaByte gigabyte,
                         std::optional<std::uint64_t> seed, NetworkDescription& network);

}  // namespace npunet::topology

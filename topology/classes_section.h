// The keys classes, class_arbitration and class_of of a network.yml's section packet.
#pragma once

#include "base/yaml_field.h"
#include "topology/network_description.h"

namespace npunet::topology {

/// Sets network.packet.classes. Once the network has its routing and virtual channels: all its
/// channels are at most TrafficClasses::most_channels. Throws InputError.
void read_classes(const YamlField& section, const UnknownKeys& unknown,
                  NetworkDescription& network);

}  // namespace npunet::topology

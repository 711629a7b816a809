#pragma once

#include "topology/network_description.h"

#include <string>

namespace npunet::packet {

/// Throws InputError for parameters that no packet network can work with: an mtu below 1, a buffer
/// smaller than one packet, errors with cut-through, classes that there are not.
/// @param parameters of a network
/// @param file that they were read from, for messages; may be empty
void check_packet_parameters(const topology::PacketParameters& parameters, const std::string& file);

}  // namespace npunet::packet

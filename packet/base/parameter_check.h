// Checks of the parameters that all packet networks have.
#pragma once

#include "topology/network/network_description.h"

#include <string>

namespace npunet::packet {

/// Throws InputError for parameters that are invalid in every packet network: sizes out of range, a
/// buffer smaller than one packet, errors with cut-through, invalid classes. `file` is named in the
/// message and may be empty.
void check_packet_parameters(const topology::PacketParameters& parameters, const std::string& file);

}  // namespace npunet::packet

// The keys of a network.yml's section packet that say how switches and NPUs keep order on a network
// without credits:
//
//     flow_control: pfc
//     congestion_control: dcqcn
//     transport: {kind: go-back-n, window: 1MiB, ack_every: 4, rto: 500us, retries: 7}
//     ecn: {kmin: 100KiB, kmax: 400KiB, pmax: 0.2}
//     pfc: {alpha: 1, headroom: auto}
#pragma once

#include <string>
#include <vector>

#include "base/yaml_field.h"
#include "topology/network_description.h"

namespace npunet::topology {

/// Sets flow_control, transport, congestion_control, ecn and shared_buffer of network.packet. Comes
/// after the other keys. Throws InputError; sections without effect are warnings, so that one text
/// serves for networks that differ in flow_control or congestion_control.
void read_transport_section(const YamlField& section, const UnknownKeys& unknown,
                            NetworkDescription& network);

/// What contradicts another parameter, cannot work, or has no effect in the packet parameters of
/// networks with Ethernet-like switches; throws InputError. `file` and the place are for its
/// message. With `warnings`, what may well lose packets where nothing should be lost goes there.
void check_transport(const NetworkDescription& network, const std::string& file,
                     const std::string& place, std::vector<std::string>* warnings = nullptr);

}  // namespace npunet::topology

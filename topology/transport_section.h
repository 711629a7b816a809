// The keys of a network.yml's section packet that say how switches and NPUs keep order on a network
// without credits:
//
//     flow_control: pfc
//     congestion_control: dcqcn
//     transport: {kind: go-back-n, window: 1MiB, ack_every: 4, rto: 500us}
//     ecn: {kmin: 100KiB, kmax: 400KiB, pmax: 0.2}
//     pfc: {alpha: 1, headroom: auto}
#pragma once

#include "topology/network_description.h"
#include "topology/unknown_keys.h"
#include "topology/yaml_field.h"

namespace npunet::topology {

/// Sets flow_control, transport, congestion_control, ecn and shared_buffer of network.packet. Comes
/// after the other keys: some are only for networks with credits, some only for others. Throws
/// InputError.
void read_transport_section(const YamlField& section, const UnknownKeys& unknown,
                            NetworkDescription& network);

/// What contradicts another parameter, or cannot work, in the packet parameters of networks with
/// Ethernet-like switches; throws InputError. `file` and the place are for its message.
void check_transport(const NetworkDescription& network, const std::string& file,
                     const std::string& place);

}  // namespace npunet::topology

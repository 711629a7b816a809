// Networks of two kinds of links: those within servers (scale-up) have credits, as NVLink has, the
// others (scale-out) Ethernet-like switches and a transport.
//
//     network.scale_up = make_scale_up(network, 1, scale_up_parameters(network.packet));
//     const NetworkDescription rails = part_of(network, TierPart::ScaleOut);
//
// The scale-up links of the innermost t tiers are those that stay within a block of tier t: between
// two NPUs of the block, and between NPUs and switches if all NPUs that are reached from these
// switches without passing an NPU are in the block. No switch has links of both kinds, so that only
// NPUs pass on what comes by one kind and leaves by the other.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "topology/network/network_description.h"
#include "topology/parameters/packet_parameters.h"

namespace npunet::topology {

struct ScaleUp {
    std::int32_t tiers = 1;   ///< how many of the innermost it spans, at least 1
    PacketParameters packet;  ///< of its links: with credits
    std::vector<bool> links;  ///< by link: whether it is one of them

    [[nodiscard]] bool has(LinkId link) const { return links[link.index()]; }
};

/// Parameters of links with credits, where those of the others are given: mtu, header, classes,
/// switching, seed and histograms are the same.
[[nodiscard]] PacketParameters scale_up_parameters(const PacketParameters& others);

/// The links of the innermost tiers. Throws InputError, about `place` of `file`, where the network
/// has no such tiers, or they have no links of their own, or all links.
[[nodiscard]] std::shared_ptr<const ScaleUp> make_scale_up(const NetworkDescription& network,
                                                           std::int32_t tiers,
                                                           const PacketParameters& packet,
                                                           const std::string& file,
                                                           const std::string& place);

/// Throws InputError, about `place` of `file`, for what networks of two kinds of links do not have:
/// credits everywhere, injection ports, next hops that packets choose on a network whose routes are
/// found by its graph. Nothing to check without `scale_up`.
void check_scale_up(const NetworkDescription& network, const std::string& file,
                    const std::string& place);

enum class TierPart : std::uint8_t { ScaleUp, ScaleOut };

/// The network with the links of one part, whose parameters are its `packet`: the others are hidden
/// (Graph::hide()), and all keep their numbers. Routes are those of the whole network: pairs of
/// NPUs whose route has links of both parts have none. `network` has a scale_up.
[[nodiscard]] NetworkDescription part_of(const NetworkDescription& network, TierPart part);

/// Both, in that order.
[[nodiscard]] std::vector<NetworkDescription> parts_of(const NetworkDescription& network);

}  // namespace npunet::topology

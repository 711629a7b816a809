// Which parts of a network of two kinds of links (topology/network/scale_up.h) the route of a
// message leads through, and the NPUs that relay it.
//
//     for (const Leg& leg : routes.legs(message.source, message.destination)) { ... }
#pragma once

#include "base/ids.h"
#include "topology/network/network_description.h"
#include "topology/network/scale_up.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace npunet::packet {

/// A part of a route with links of one kind.
struct Leg {
    NodeId from;
    NodeId to;
    topology::TierPart part;
};

class TierRoutes {
public:
    /// The description has a scale_up and must outlive this.
    explicit TierRoutes(const topology::NetworkDescription& description)
        : description_(description) {}

    /// The route, from its source on; at least one leg. Valid until the next call. Throws
    /// InputError where the route of a leg, from its first node to its last, is not the same kind
    /// of links all along.
    const std::vector<Leg>& legs(NodeId source, NodeId destination);

private:
    std::vector<Leg> find(NodeId source, NodeId destination) const;

    topology::TierPart part_of(LinkId link) const {
        return description_.scale_up->has(link) ? topology::TierPart::ScaleUp
                                                : topology::TierPart::ScaleOut;
    }

    /// Some 100 MB.
    static constexpr std::size_t most_known = std::size_t{1} << 20;

    const topology::NetworkDescription& description_;
    std::unordered_map<std::uint64_t, std::vector<Leg>> known_;  ///< some, by source, destination
};

}  // namespace npunet::packet

#include "packet/tiers/tier_routes.h"

#include "base/errors.h"

#include <algorithm>

namespace npunet::packet {

const std::vector<Leg>& TierRoutes::legs(NodeId source, NodeId destination) {
    const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(source.value())} << 32 |
                              static_cast<std::uint32_t>(destination.value());
    const auto known = known_.find(key);
    if (known != known_.end()) {
        return known->second;
    }
    if (known_.size() >= most_known) {
        known_.clear();
    }
    return known_.emplace(key, find(source, destination)).first->second;
}

std::vector<Leg> TierRoutes::find(NodeId source, NodeId destination) const {
    const topology::Graph& graph = description_.graph;
    std::vector<Leg> legs;
    for (const topology::Hop& hop : description_.route(source, destination)) {
        const topology::Link& link = graph.link(hop.link);
        if (legs.empty() || legs.back().part != part_of(hop.link)) {
            legs.push_back({link.from, link.to, part_of(hop.link)});
        }
        legs.back().to = link.to;
    }
    for (const Leg& leg : legs) {
        const std::vector<topology::Hop> route = description_.route(leg.from, leg.to);
        if (!std::all_of(route.begin(), route.end(),
                         [&](const topology::Hop& hop) { return part_of(hop.link) == leg.part; })) {
            throw InputError(
                {description_.file, "packet.scale_up",
                 "the route " + graph.name(source) + " -> " + graph.name(destination) +
                     ", whose part " + graph.name(leg.from) + " -> " + graph.name(leg.to) +
                     " has links of one kind where the route of that pair has others",
                 "routes whose parts are routes", "Use another routing, or leave scale_up out"});
        }
    }
    return legs;
}

}  // namespace npunet::packet

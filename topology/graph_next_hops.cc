#include "topology/graph_next_hops.h"

#include "topology/pair_hash.h"

namespace npunet::topology {

void GraphNextHops::list_next_hops(const Graph& graph, const PacketPlace& place,
                                   std::vector<OfferedHop>& next_hops) const {
    std::vector<LinkId> links;
    paths_->list_links_towards(graph, place.at, place.destination, links);
    next_hops.clear();
    for (const LinkId link : links) {
        next_hops.emplace_back();
        next_hops.back().hop = Hop{link, paths_->layer_towards(place.destination)};
    }
    spread_next_hops(spread_, mixed(place.hash + static_cast<std::uint64_t>(place.at.value())),
                     next_hops);
}

}  // namespace npunet::topology

#include "topology/graph_ways.h"

#include "topology/pair_hash.h"

namespace npunet::topology {

void GraphWays::list_ways(const Graph& graph, const PacketPlace& place,
                          std::vector<Way>& ways) const {
    std::vector<LinkId> links;
    paths_->list_links_towards(graph, place.at, place.destination, links);
    ways.clear();
    for (const LinkId link : links) {
        ways.emplace_back();
        ways.back().hop = Hop{link, paths_->layer_towards(place.destination)};
    }
    spread_ways(spread_, mixed(place.hash + static_cast<std::uint64_t>(place.at.value())), ways);
}

}  // namespace npunet::topology

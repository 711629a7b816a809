#include "topology/rail_next_hops.h"

#include "topology/fat_tree_next_hops.h"
#include "topology/pair_hash.h"

namespace npunet::topology {

void RailNextHops::list_next_hops(const Graph& graph, const PacketPlace& place,
                                  std::vector<OfferedHop>& next_hops) const {
    const std::int64_t size = shape_.npus_per_server;
    const std::int64_t at = place.at.value();
    const std::int64_t to = place.destination.value();
    const std::int64_t first_rail_switch =
        shape_.npus() + shape_.servers() * shape_.server_switches();
    if (at >= first_rail_switch) {
        const std::int64_t tree_switch = (at - first_rail_switch) % shape_.rail.switches();
        const std::int64_t first_link =
            shape_.servers() * shape_.server_links() + to % size * shape_.rail.links();
        list_fat_tree_next_hops(shape_.rail, tree_switch, to / size, first_link, next_hops);
        spread_next_hops(spread_, mixed(place.hash + static_cast<std::uint64_t>(at)), next_hops);
        return;
    }
    // At an NPU, or at a server's switch towards an NPU of the server: the fixed route.
    next_hops.assign(1, OfferedHop());
    const std::int64_t before = at < shape_.npus() ? at : graph.link(place.in.link).from.value();
    const std::vector<Hop> hops =
        fixed_.route(graph, NodeId(static_cast<std::size_t>(before)), place.destination);
    next_hops.front().hop = hops[at < shape_.npus() ? 0 : 1];
}

}  // namespace npunet::topology

#include "topology/fat_tree_next_hops.h"

#include "topology/pair_hash.h"

namespace npunet::topology {

void list_fat_tree_next_hops(const FatTreeShape& shape, std::int64_t tree_switch, std::int64_t to,
                             std::int64_t first_link, std::vector<OfferedHop>& next_hops) {
    next_hops.clear();
    const auto add = [&](std::int64_t link) {
        OfferedHop next_hop;
        next_hop.hop.link = LinkId(static_cast<std::size_t>(first_link + link));
        next_hops.push_back(next_hop);
    };
    const bool three = shape.levels == 3;
    const std::int64_t leaf_links = 2 * shape.npus;
    const std::int64_t top_links = leaf_links + 2 * shape.leaves() * shape.up[0];
    const std::int64_t there = to / shape.down[0];
    if (tree_switch < shape.leaves()) {
        if (tree_switch == there) {
            add(2 * to + 1);
            return;
        }
        for (std::int64_t port = 0; port < shape.up[0]; ++port) {
            add(leaf_links + 2 * (tree_switch * shape.up[0] + port));
        }
        return;
    }
    const std::int64_t upper = tree_switch - shape.leaves();
    if (upper < shape.aggregations()) {
        const std::int64_t pod = upper / shape.up[0];
        if (pod == there / shape.down[1]) {
            add(leaf_links + 2 * (there * shape.up[0] + upper % shape.up[0]) + 1);
            return;
        }
        for (std::int64_t port = 0; port < shape.up[1]; ++port) {
            add(top_links + 2 * (upper * shape.up[1] + port));
        }
        return;
    }
    const std::int64_t top = upper - shape.aggregations();
    if (three) {
        // Core c connects to port c mod up[1] of aggregation switch c / up[1] of every pod.
        const std::int64_t below = there / shape.down[1] * shape.up[0] + top / shape.up[1];
        add(top_links + 2 * (below * shape.up[1] + top % shape.up[1]) + 1);
    } else {
        add(leaf_links + 2 * (there * shape.up[0] + top) + 1);
    }
}

void FatTreeNextHops::list_next_hops(const Graph& /*graph*/, const PacketPlace& place,
                                     std::vector<OfferedHop>& next_hops) const {
    const std::int64_t at = place.at.value();
    if (at < shape_.npus) {
        next_hops.assign(1, OfferedHop());
        next_hops.front().hop.link = LinkId(static_cast<std::size_t>(2 * at));
        return;
    }
    list_fat_tree_next_hops(shape_, at - shape_.npus, place.destination.value(), 0, next_hops);
    spread_next_hops(spread_, mixed(place.hash + static_cast<std::uint64_t>(at)), next_hops);
}

}  // namespace npunet::topology

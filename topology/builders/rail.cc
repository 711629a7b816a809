#include "topology/builders/rail.h"

#include <memory>

#include "topology/builders/builder.h"
#include "topology/builders/fat_tree.h"
#include "topology/graph/line.h"
#include "topology/routing/pair_hash.h"

namespace npunet::topology {

namespace {

/// Calls the visitor with the line of NPUs that the scale-up of a server is.
template <class Visitor>
auto visit_server(const RailShape& shape, Visitor&& visitor) {
    Dimension dimension;
    dimension.kind = shape.scale_up;
    dimension.size = static_cast<std::int32_t>(shape.npus_per_server);
    return visit_line(dimension, visitor);
}

}  // namespace

std::int64_t RailShape::server_links() const {
    return visit_server(*this, [](const auto& line) { return line.links(); });
}

std::int64_t RailShape::server_switches() const {
    return visit_server(*this, [](const auto& line) { return std::int64_t{line.switches()}; });
}

std::vector<Hop> RailRouter::route(const Graph& /*graph*/, NodeId from, NodeId to) const {
    const std::int64_t size = shape_.npus_per_server;
    const std::int64_t server = from.value() / size;
    const std::int64_t target = to.value() / size;
    const std::int64_t place = to.value() % size;
    std::vector<Hop> hops;
    visit_server(shape_, [&](const auto& line) {
        line.route(static_cast<std::int32_t>(from.value() % size), static_cast<std::int32_t>(place),
                   server * line.links(), hops);
    });
    if (server != target) {
        const std::uint64_t hash =
            up_links_ == UpLinks::ByHash ? pair_hash(seed_, from, to) : std::uint64_t{0};
        const std::int64_t first =
            shape_.servers() * shape_.server_links() + place * shape_.rail.links();
        append_fat_tree_route(shape_.rail, server, target, up_links_, hash, first, hops);
    }
    return hops;
}

NetworkDescription make_rail(const RailShape& shape, const LinkSpeed& scale_up,
                             const std::vector<LinkSpeed>& scale_out) {
    const std::int64_t size = shape.npus_per_server;
    NetworkDescription network = network_of_npus(
        "Rail", shape.npus(), static_cast<std::size_t>(shape.npus() + shape.switches()),
        static_cast<std::size_t>(shape.links()));
    Graph& graph = network.graph;
    for (std::int64_t server = 0; server < shape.servers(); ++server) {
        visit_server(shape, [&](const auto& line) {
            const NodeId own_switch(graph.nodes());
            if (line.switches() > 0) {
                graph.add_node(NodeKind::Switch, "server" + std::to_string(server) + "-switch");
            }
            const auto node_at = [&](std::int32_t position) {
                return position < size ? NodeId(static_cast<std::size_t>(server * size + position))
                                       : own_switch;
            };
            for (std::int64_t i = 0; i < line.links(); ++i) {
                const LineLink ends = line.link(i);
                graph.add_link(
                    {node_at(ends.from), node_at(ends.to), scale_up.rate, scale_up.latency});
            }
        });
    }
    for (std::int64_t place = 0; place < size; ++place) {
        add_fat_tree(
            graph, shape.rail, scale_out,
            [&](std::int64_t server) {
                return NodeId(static_cast<std::size_t>(server * size + place));
            },
            "rail" + std::to_string(place) + "-");
    }
    network.router = std::make_shared<RailRouter>(shape, UpLinks::ByDestination, 1);
    network.tiers = tiers_of_blocks(shape.npus(), {{"server", size}, {"rail", shape.npus()}});
    return network;
}

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
        switches_.list_next_hops(tree_switch, to / size, first_link, next_hops);
        spread_over(place, next_hops);
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

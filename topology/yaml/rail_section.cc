#include "topology/yaml/network_sections.h"

#include <memory>

#include "topology/builders/builder.h"
#include "topology/builders/rail.h"
#include "topology/network/reducing_switches.h"
#include "topology/yaml/link_fields.h"

namespace npunet::topology {

StandaloneNetwork read_rail(const YamlField& section, GigaByte gigabyte,
                            const UnknownKeys& unknown) {
    check_keys(section, {"servers", "npus_per_server", "scale_up", "scale_out"}, unknown);
    const std::int64_t servers = section.at("servers").whole(1, most_npus, "a number of servers");
    RailShape shape;
    shape.npus_per_server =
        section.at("npus_per_server").whole(1, most_npus, "the NPUs of a server");
    const YamlField scale_up = section.at("scale_up");
    check_keys(scale_up, {"kind", "bandwidth", "latency", "reduces"}, unknown);
    shape.scale_up = one_of(scale_up.at("kind"), {"switch", "fully-connected"}) == "switch"
                         ? DimensionKind::Switch
                         : DimensionKind::FullyConnected;
    const LinkSpeed speed{bandwidth_at(scale_up.at("bandwidth"), gigabyte).rate,
                          latency_at(scale_up.at("latency")).time};
    const FatTreeParameters rails =
        fat_tree_at(section.at("scale_out"), gigabyte, unknown, servers);
    shape.rail = rails.shape;
    check_standalone_size(section, shape.npus(), shape.switches(), shape.links());
    StandaloneNetwork own;
    own.network = make_rail(shape, speed, rails.speeds);
    const Graph& graph = own.network.graph;
    const auto is_of_server = [&](NodeId node) { return graph.name(node).rfind("server", 0) == 0; };
    if (const auto reduces = scale_up.find("reduces")) {
        if (shape.scale_up != DimensionKind::Switch) {
            reduces->refuse("reduces of servers without a switch", "kind: switch",
                            "Remove reduces");
        }
        if (const auto limits = reduces_at(*reduces, unknown)) {
            let_switches_reduce(is_of_server, *limits, own.network);
        }
    }
    if (rails.reduces) {
        let_switches_reduce([&](NodeId node) { return !is_of_server(node); }, *rails.reduces,
                            own.network);
    }
    own.routing.offered = {"auto", "up-down", "ecmp", "spray", "adaptive"};
    own.routing.make = [shape](const std::string& word, std::uint64_t seed, const YamlField&,
                               const Graph&) {
        Routes routes{std::make_shared<RailRouter>(
            shape, word == "ecmp" ? UpLinks::ByHash : UpLinks::ByDestination, seed)};
        if (const auto spread = spread_named(word)) {
            routes.multipath = std::make_shared<RailNextHops>(shape, *spread);
        }
        return routes;
    };
    return own;
}

}  // namespace npunet::topology

#include "topology/network/link_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/units.h"

namespace npunet::topology {

namespace {

/// Names that a user gave to every switch say nothing of kinds.
constexpr std::size_t most_kinds_of_nodes = 24;

/// "rail3-leaf0" is a rail-leaf.
std::string without_digits(const std::string& name) {
    std::string kind = name;
    kind.erase(std::remove_if(kind.begin(), kind.end(),
                              [](char letter) { return letter >= '0' && letter <= '9'; }),
               kind.end());
    return kind;
}

struct NodeKinds {
    std::vector<std::string> names;
    std::vector<std::uint32_t> of_node;
};

NodeKinds kinds_of_names(const Graph& graph) {
    NodeKinds kinds;
    std::unordered_map<std::string, std::uint32_t> known;
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        const auto [found, is_new] = known.emplace(without_digits(graph.name(NodeId(node))),
                                                   static_cast<std::uint32_t>(kinds.names.size()));
        if (is_new) {
            kinds.names.push_back(found->first);
            if (kinds.names.size() > most_kinds_of_nodes) {
                return {};
            }
        }
        kinds.of_node.push_back(found->second);
    }
    return kinds;
}

NodeKinds kinds_of_nodes(const Graph& graph) {
    NodeKinds kinds = kinds_of_names(graph);
    if (kinds.names.empty()) {
        kinds.names = {"npu", "switch"};
        for (std::size_t node = 0; node < graph.nodes(); ++node) {
            kinds.of_node.push_back(graph.kind(NodeId(node)) == NodeKind::Npu ? 0 : 1);
        }
    }
    return kinds;
}

std::string name_of(const LinkKind& kind, const NetworkDescription& network) {
    if (kind.dimension >= 0) {
        const auto number = static_cast<std::size_t>(kind.dimension);
        const Dimension& dimension = network.dimensions[number];
        // Tiers of a product are called by their kind where network.yml has no name for them.
        if (network.tiers[number].name != name_of(dimension.kind)) {
            return network.tiers[number].name;
        }
        return fmt::format("dimension {} ({} of {})", kind.dimension, name_of(dimension.kind),
                           dimension.size);
    }
    if (network.name == "Rail") {
        const std::string rail = "rail-";
        if (kind.of_npus) {
            return kind.high.compare(0, rail.size(), rail) == 0 ? "NIC" : "scale-up";
        }
        return kind.low.substr(rail.size()) + "-" + kind.high.substr(rail.size());
    }
    return kind.low + "-" + kind.high;
}

std::string speed_of(const LinkKind& kind) {
    return fmt::format(" ({:g} GB/s, {})", static_cast<double>(kind.rate.bytes_per_second()) / 1e9,
                       format_time(kind.latency));
}

}  // namespace

LinkKinds::LinkKinds(const NetworkDescription& network) {
    kind_of_.reserve(network.graph.links());
    if (network.dimensions.empty()) {
        divide_by_nodes(network.graph);
    } else {
        divide_by_dimension(network);
    }
    name_kinds(network);
}

void LinkKinds::divide_by_dimension(const NetworkDescription& network) {
    constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> known(network.dimensions.size(), none);
    for (std::size_t index = 0; index < network.graph.links(); ++index) {
        const Link& link = network.graph.link(LinkId(index));
        std::uint32_t& kind = known[static_cast<std::size_t>(link.dimension)];
        if (kind == none) {
            kind = static_cast<std::uint32_t>(kinds_.size());
            kinds_.push_back({link.dimension, "", "", false, link.rate, link.latency});
        }
        kind_of_.push_back(kind);
    }
}

void LinkKinds::divide_by_nodes(const Graph& graph) {
    const NodeKinds nodes = kinds_of_nodes(graph);
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::int64_t>;
    std::map<Key, std::uint32_t> known;
    for (std::size_t index = 0; index < graph.links(); ++index) {
        const Link& link = graph.link(LinkId(index));
        // NPUs come first among the nodes, and leaves before what connects them.
        const auto [low, high] = std::minmax(link.from, link.to);
        const auto [first, second] =
            std::minmax(nodes.of_node[low.index()], nodes.of_node[high.index()]);
        const auto [found, is_new] =
            known.emplace(Key{first, second, link.rate.bytes_per_second(), link.latency.ps()},
                          static_cast<std::uint32_t>(kinds_.size()));
        if (is_new) {
            kinds_.push_back({-1, nodes.names[nodes.of_node[low.index()]],
                              nodes.names[nodes.of_node[high.index()]],
                              graph.kind(low) == NodeKind::Npu || graph.kind(high) == NodeKind::Npu,
                              link.rate, link.latency});
        }
        kind_of_.push_back(found->second);
    }
}

void LinkKinds::name_kinds(const NetworkDescription& network) {
    std::map<std::string, std::size_t> occurrences;
    for (const LinkKind& kind : kinds_) {
        names_.push_back(name_of(kind, network));
        ++occurrences[names_.back()];
    }
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        if (occurrences[names_[kind]] > 1) {
            names_[kind] += speed_of(kinds_[kind]);
        }
    }
}

}  // namespace npunet::topology

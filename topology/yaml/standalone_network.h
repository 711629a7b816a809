// A network that is no product of dimensions, as its section of a network.yml describes it, with
// the routings that it offers.
//
//     if (const auto section = standalone_section(root)) {
//         StandaloneNetwork own = read_standalone_network(*section, gigabyte, unknown);
//         own.network.router = own.routing.make("auto", 1, *section);
//     }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/yaml_field.h"
#include "topology/network/network_description.h"
#include "topology/routing/multipath.h"
#include "topology/routing/router.h"

namespace npunet::topology {

/// The routes of a network: one path for each pair of NPUs; where packets choose among several
/// (topology/routing/multipath.h) the next hops that they have; and the planes that a message uses
/// together.
struct Routes {
    std::shared_ptr<const Router> router;
    std::shared_ptr<const MultipathRouter> multipath = nullptr;
    /// Null where messages do not use several routes together.
    std::shared_ptr<const Planes> planes = nullptr;
};

struct RoutingChoice {
    std::vector<std::string> offered;  ///< "auto" first
    /// The routes of one of these words; refuses at the field what the network has no routes for.
    std::function<Routes(const std::string& word, std::uint64_t seed, const YamlField& field,
                         const Graph& graph)>
        make;
    /// The routes of "auto" where packets have at most `most` virtual channels, at least one;
    /// null: they are always the same.
    std::function<Routes(std::uint8_t most, std::uint64_t seed, const YamlField& field,
                         const Graph& graph)>
        make_within;
};

struct StandaloneNetwork {
    NetworkDescription network;  ///< without a router
    RoutingChoice routing;
};

/// FatTree, Dragonfly, Rail, Custom, and those that were added.
[[nodiscard]] const std::vector<std::string>& standalone_network_names();

using StandaloneNetworkReader = StandaloneNetwork (*)(const YamlField& parameters,
                                                      GigaByte gigabyte,
                                                      const UnknownKeys& unknown);
/// From now on a network.yml may have a section of this name (docs/extending.md). Before anything
/// is read, by one thread. Throws std::invalid_argument for a name that is there already.
void add_standalone_network(const std::string& name, StandaloneNetworkReader read);

/// The parameters of such a network: `FatTree: {...}` at the top or as the one entry of `topology`;
/// nothing when the file describes a product.
struct StandaloneSection {
    std::string name;
    YamlField parameters;
};
[[nodiscard]] std::optional<StandaloneSection> standalone_section(const YamlField& root);

[[nodiscard]] StandaloneNetwork read_standalone_network(const StandaloneSection& section,
                                                        GigaByte gigabyte,
                                                        const UnknownKeys& unknown);

/// Refuses, at the field, what is more than a network may have.
void check_standalone_size(const YamlField& field, std::int64_t npus, std::int64_t switches,
                           std::int64_t links);

}  // namespace npunet::topology

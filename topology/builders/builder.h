// Makes a network from its dimensions: the Cartesian product of rings, meshes, cliques and
// switches.
//
//     Rate rate{50'000'000'000};
//     NetworkDescription mesh = make_network({make_dimension(DimensionKind::Mesh1D, 4, rate,
//     Time::ns(500)),
//                                             make_dimension(DimensionKind::Mesh1D, 4, rate,
//                                             Time::ns(500))});
//
// Every NPU has the links of each dimension. NPU i has coordinate i mod size(0) in dimension 0,
// i / size(0) mod size(1) in dimension 1, and so on. A Switch dimension puts one switch on each of
// its lines. Nodes are named npu0, npu1, ... and switch0, switch1, ...
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "topology/graph/dimension.h"
#include "topology/network/network_description.h"

namespace npunet::topology {

/// What a product of dimensions consists of.
struct NetworkSize {
    std::int64_t npus = 1;
    std::int64_t switches = 0;
    std::int64_t links = 0;  ///< directed
};

/// Counts without building; anything beyond 2^40 is clamped to 2^40. Sizes are at least 1.
[[nodiscard]] NetworkSize network_size_of(const std::vector<Dimension>& dimensions);

/// The most that one network may have: bounded by memory and by the 22 bits of a node number.
inline constexpr std::int64_t most_npus = std::int64_t{1} << 21;
inline constexpr std::int64_t most_nodes = std::int64_t{1} << 22;
inline constexpr std::int64_t most_links = std::int64_t{1} << 25;

/// Builds the graph, with linear placement, dimension-order routing and the default packet
/// parameters. Sizes are at least 1, rates positive, latencies not negative, and the size of the
/// network is within the bounds above. An empty `name` becomes the kinds joined: "Ring x Switch".
[[nodiscard]] NetworkDescription make_network(std::vector<Dimension> dimensions,
                                              std::string name = "");

/// What all networks without dimensions begin with: a graph of NPUs alone, npu0, npu1, ..., and
/// linear placement. `nodes` and `links` are how many there will be in the end.
[[nodiscard]] NetworkDescription network_of_npus(std::string name, std::int64_t npus,
                                                 std::size_t nodes, std::size_t links);

/// Rank r on NPU r.
[[nodiscard]] std::vector<NodeId> linear_placement(std::size_t npus);

/// Every other pass over a dimension runs backwards, so that consecutive ranks are neighbours: they
/// differ by one in one coordinate and agree in all others. On a 3 x 2 mesh ranks 0 .. 5 sit on
/// NPUs 0 1 2 5 4 3.
[[nodiscard]] std::vector<NodeId> snake_placement(const std::vector<Dimension>& dimensions);

}  // namespace npunet::topology

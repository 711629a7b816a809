// Which routes `Custom` networks have where none are named.
//
//     auto router = automatic_router(network.graph, seed);
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <memory>

#include "topology/routing/graph_router.h"

namespace npunet::topology {

/// Virtual channels that Custom networks take by default at most.
inline constexpr std::uint8_t usual_channels = 4;

/// The router that `Custom` networks have by default: balanced shortest paths, if need be on up to
/// `most` virtual channels; else the shortest paths to the lowest neighbours where no cycle closes,
/// else up*/down*, with a note. Where links lead one way and up*/down* does not reach all NPUs,
/// balanced on as many channels as it takes, or, with a note, the shortest paths to the lowest
/// neighbours in layers if these are fewer; null when 32 do not suffice.
[[nodiscard]] std::shared_ptr<const GraphRouter> automatic_router(
    const Graph& graph, std::uint64_t seed, std::uint8_t most = usual_channels);

}  // namespace npunet::topology

// The routing `shortest-path`: the fewest links, the lowest link number among equals, on any graph.
//
//     if (shortest_path_cycle(network.graph).empty()) {
//         network.router = std::make_shared<ShortestPathRouter>();
//     }
//
// Packets stay on virtual channel 0, so the routes may only be used where they do not wait for each
// other in a cycle. On meshes, cliques and switches these are the dimension-order routes; a ring
// of four or more is refused.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/ids.h"
#include "topology/graph/graph.h"
#include "topology/routing/router.h"

namespace npunet::topology {

/// A cycle of channels that wait for each other under shortest-path routing between all NPUs, empty
/// when there is none. O(npus x (nodes + links)).
[[nodiscard]] std::vector<Hop> shortest_path_cycle(const Graph& graph);

/// For a graph whose shortest_path_cycle() is empty, and that does not change afterwards. Routes
/// are worked out destination by destination when first asked for.
class ShortestPathRouter : public Router {
public:
    [[nodiscard]] std::vector<Hop> route(const Graph& graph, NodeId from, NodeId to) const override;
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override { return 1; }
    [[nodiscard]] std::string name() const override { return "shortest-path"; }

private:
    [[nodiscard]] const std::vector<LinkId>& towards(const Graph& graph, NodeId destination) const;

    mutable std::mutex mutex_;
    mutable std::vector<std::vector<LinkId>> next_;  ///< by destination; empty until asked for
};

}  // namespace npunet::topology

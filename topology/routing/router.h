// How a network without dimensions finds its routes: a pure function of the two NPUs.
//
//     network.router = std::make_shared<FatTreeRouter>(shape, UpLinks::ByDestination, 1);
//     std::vector<Hop> hops = network.route(NodeId(1), NodeId(7));     // asks the router
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"

namespace npunet::topology {

class Router {
public:
    Router() = default;
    Router(const Router&) = delete;
    Router& operator=(const Router&) = delete;
    virtual ~Router() = default;

    /// The hops between two different NPUs of the graph that the router was made for. The same
    /// answer every time; several threads may ask at once.
    [[nodiscard]] virtual std::vector<Hop> route(const Graph& graph, NodeId from,
                                                 NodeId to) const = 0;
    /// The least number of virtual channels with which these routes are free of deadlock.
    [[nodiscard]] virtual std::uint8_t virtual_channels_needed() const = 0;
    /// As in network.yml: "up-down", "ecmp", "minimal", "shortest-path".
    [[nodiscard]] virtual std::string name() const = 0;
    /// What people should know about the choice; empty when it is what they asked for.
    [[nodiscard]] virtual std::string note() const { return ""; }
};

}  // namespace npunet::topology

// Networks from the text of a network.yml, and checks that hold for every network and routing.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/errors.h"
#include "networks.h"
#include "tests/support/refusals.h"
#include "topology/graph/bisection.h"
#include "topology/network/deadlock.h"
#include "topology/yaml/network_reader.h"

namespace npunet::topology {

inline NetworkDescription network_from(const std::string& text,
                                       std::vector<std::string>* warnings = nullptr) {
    return parse_network(text, "network.yml", warnings);
}

/// The message of the refusal, without the name of the file.
inline std::string refusal_of(const std::string& text) {
    const std::string file = "network.yml: ";
    const std::string message = test::message_of<InputError>([&] { return network_from(text); });
    return message.rfind(file, 0) == 0 ? message.substr(file.size()) : message;
}

/// Every route follows links from its source to its destination and enters no node twice.
inline void expect_valid_routes(const NetworkDescription& network) {
    for (std::size_t from = 0; from < network.graph.npus(); ++from) {
        for (std::size_t to = 0; to < network.graph.npus(); ++to) {
            NodeId at(from);
            std::set<std::int32_t> seen{at.value()};
            for (const Hop& hop : network.route(NodeId(from), NodeId(to))) {
                ASSERT_LT(hop.link.index(), network.graph.links());
                ASSERT_EQ(network.graph.link(hop.link).from, at);
                ASSERT_LT(hop.virtual_channel, network.virtual_channels_needed());
                at = network.graph.link(hop.link).to;
                ASSERT_TRUE(seen.insert(at.value()).second) << from << " to " << to;
            }
            ASSERT_EQ(at, NodeId(to));
        }
    }
}

/// Links between two nodes, by breadth-first search; -1: none.
inline std::vector<std::int32_t> distances_from(const Graph& graph, NodeId from) {
    std::vector<std::int32_t> distance(graph.nodes(), -1);
    std::vector<NodeId> open{from};
    distance[from.index()] = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (const LinkId link : graph.links_from(open[i])) {
            const NodeId to = graph.link(link).to;
            if (distance[to.index()] < 0) {
                distance[to.index()] = distance[open[i].index()] + 1;
                open.push_back(to);
            }
        }
    }
    return distance;
}

inline void expect_shortest_routes(const NetworkDescription& network) {
    for (std::size_t from = 0; from < network.graph.npus(); ++from) {
        const auto distance = distances_from(network.graph, NodeId(from));
        for (std::size_t to = 0; to < network.graph.npus(); ++to) {
            ASSERT_EQ(static_cast<std::int32_t>(network.route(NodeId(from), NodeId(to)).size()),
                      distance[to]);
        }
    }
}

/// No cycle of waiting with the channels that the routing asks for.
inline void expect_no_deadlock(const NetworkDescription& network) {
    const std::vector<Hop> cycle = channel_dependencies(network).find_cycle();
    EXPECT_TRUE(cycle.empty()) << network.name << ": " << describe_cycle(network.graph, cycle);
}

/// The most flows of a permutation that share one link.
template <class Target>
std::int64_t most_on_a_link(const NetworkDescription& network, const Target& target) {
    std::vector<std::int64_t> flows(network.graph.links());
    for (std::size_t from = 0; from < network.graph.npus(); ++from) {
        for (const Hop& hop : network.route(NodeId(from), NodeId(std::size_t{target(from)}))) {
            ++flows[hop.link.index()];
        }
    }
    return flows.empty() ? 0 : *std::max_element(flows.begin(), flows.end());
}

}  // namespace npunet::topology

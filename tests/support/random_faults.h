// Random outages of links on random networks with every routing on offer.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/packet/random_networks.h"
#include "topology/yaml/network_reader.h"

namespace npunet::test {

/// A kind of packet_test::random_network_text() and a routing that it offers.
struct OfferedRouting {
    unsigned kind;
    const char* routing;
};

/// A new routing is a new line here.
constexpr OfferedRouting offered_routings[] = {
    {0, "auto"},     {0, "dimension-order"},
    {0, "adaptive"},  // products
    {1, "up-down"},  {1, "ecmp"},
    {1, "spray"},    {1, "adaptive"},  // FatTree
    {2, "minimal"},  {2, "ugal"},      // Dragonfly
    {3, "up-down"},  {3, "ecmp"},
    {3, "spray"},    {3, "adaptive"},  // Rail
    {4, "auto"},     {4, "up-down"},
    {4, "ecmp"},     {4, "spray"},
    {4, "adaptive"}, {4, "balanced"},  // Custom
};

inline topology::NetworkDescription random_network(const OfferedRouting& offer,
                                                   std::mt19937_64& random) {
    return topology::parse_network(packet_test::random_network_text(offer.kind, random) +
                                       "packet: {routing: " + offer.routing + "}\n",
                                   "network.yml");
}

/// Whether every NPU reaches every other one over the links for which `down` is false.
inline bool joined_without(const topology::Graph& graph, const std::vector<bool>& down) {
    const auto reached = [&](bool forwards) {
        std::vector<bool> seen(graph.nodes());
        std::vector<NodeId> open{NodeId(std::size_t{0})};
        seen[0] = true;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const NodeId at = open[i];
            for (const LinkId link : forwards ? graph.links_from(at) : graph.links_to(at)) {
                const NodeId other = forwards ? graph.link(link).to : graph.link(link).from;
                if (!down[link.index()] && !seen[other.index()]) {
                    seen[other.index()] = true;
                    open.push_back(other);
                }
            }
        }
        return std::count(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(graph.npus()),
                          true) == static_cast<std::ptrdiff_t>(graph.npus());
    };
    return reached(true) && reached(false);
}

/// Outages that begin before `horizon`: of cables, and some of one direction; some for good, which
/// leave all NPUs joined by links of both directions.
inline std::vector<topology::LinkFault> random_outages(const topology::Graph& graph, int count,
                                                       Time horizon, std::mt19937_64& random) {
    std::vector<topology::LinkFault> faults;
    std::vector<bool> dead(graph.links());
    for (int i = 0; i < count; ++i) {
        const LinkId link(std::size_t{random() % graph.links()});
        const LinkId back = graph.find_link(graph.link(link).to, graph.link(link).from);
        topology::LinkFault fault;
        fault.bandwidth.billionths = 0;
        fault.at = Time::ps(static_cast<std::int64_t>(
            random() % 4 == 0 ? 0 : random() % static_cast<std::uint64_t>(horizon.ps())));
        fault.until =
            fault.at + Time::ps(1 + static_cast<std::int64_t>(
                                        random() % static_cast<std::uint64_t>(horizon.ps())));
        const bool both = back.valid() && random() % 4 != 0;
        if (random() % 2 == 0) {
            std::vector<bool> more = dead;
            more[link.index()] = true;
            if (back.valid()) {
                more[back.index()] = true;
            }
            if (joined_without(graph, more)) {
                dead = more;
                fault.until = Time::max();
            }
        }
        fault.link = link;
        faults.push_back(fault);
        if (both) {
            fault.link = back;
            faults.push_back(fault);
        }
    }
    topology::LinkFault surely;
    surely.bandwidth.billionths = 0;
    surely.link = LinkId(std::size_t{0});
    surely.until = Time::ps(1);
    faults.push_back(surely);
    return faults;
}

}  // namespace npunet::test

#include "planner/network_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "topology/routing/shortest_paths.h"

namespace npunet::planner {

namespace {

constexpr double ms_per_second = 1e3;
constexpr double ps_per_ms = 1e9;

/// Messages that are under way at the same time, and what each gets.
class Flows {
public:
    explicit Flows(const topology::NetworkDescription& network) : network_(network) {}

    void add(std::size_t from, std::size_t to) {
        planes_.push_back(network_.routes(network_.npu_of_rank[from], network_.npu_of_rank[to]));
        for (const std::vector<topology::Hop>& plane : planes_.back()) {
            for (const topology::Hop hop : plane) {
                ++load_[hop.link];
            }
        }
    }

    /// Bytes per ms of each message, over all its planes, when links that several cross are shared
    /// equally.
    [[nodiscard]] std::vector<double> rates() const {
        std::vector<double> rates;
        for (const topology::PlaneRoutes& planes : planes_) {
            double sum = 0;
            for (const std::vector<topology::Hop>& plane : planes) {
                double rate = std::numeric_limits<double>::infinity();
                for (const topology::Hop hop : plane) {
                    const auto link =
                        static_cast<double>(network_.graph.link(hop.link).rate.bytes_per_second());
                    rate = std::min(rate, link / ms_per_second / load_.at(hop.link));
                }
                sum += rate;
            }
            rates.push_back(sum);
        }
        return rates;
    }

    /// ms of the signal on the longest way.
    [[nodiscard]] double latency() const {
        double longest = 0;
        for (const topology::PlaneRoutes& planes : planes_) {
            Time sum;
            for (const topology::Hop hop : planes.front()) {
                sum += network_.graph.link(hop.link).latency;
            }
            longest = std::max(longest, static_cast<double>(sum.ps()) / ps_per_ms);
        }
        return longest;
    }

private:
    const topology::NetworkDescription& network_;
    std::vector<topology::PlaneRoutes> planes_;  ///< of each message, its routes
    std::map<LinkId, double> load_;              ///< messages on each link
};

void use_inside(Node& node, std::size_t first, const topology::NetworkDescription& network) {
    if (node.devices == 1) {
        return;  // nothing is sent inside
    }
    const auto devices = static_cast<std::size_t>(node.devices);
    Flows flows(network);
    for (std::size_t i = 0; i < devices; ++i) {
        flows.add(first + i, first + (i + 1) % devices);
    }
    const std::vector<double> rates = flows.rates();
    node.intra_rate = *std::min_element(rates.begin(), rates.end());
    node.intra_latency_ms = flows.latency();
}

/// All nodes send to the next one at once.
void use_between(Cluster& cluster, const topology::NetworkDescription& network) {
    const std::size_t nodes = cluster.nodes.size();
    if (nodes == 1) {
        return;
    }
    std::vector<std::size_t> first(nodes, 0);
    for (std::size_t n = 1; n < nodes; ++n) {
        first[n] = first[n - 1] + static_cast<std::size_t>(cluster.nodes[n - 1].devices);
    }
    Flows all(network);
    for (std::size_t n = 0; n < nodes; ++n) {
        const std::size_t next = (n + 1) % nodes;
        for (std::int64_t i = 0; i < cluster.nodes[n].devices; ++i) {
            all.add(first[n] + static_cast<std::size_t>(i),
                    first[next] + static_cast<std::size_t>(i % cluster.nodes[next].devices));
        }
    }
    const std::vector<double> rates = all.rates();
    const double latency = all.latency();
    for (std::size_t n = 0; n < nodes; ++n) {
        Node& node = cluster.nodes[n];
        node.inter_rate = 0;
        for (std::int64_t i = 0; i < node.devices; ++i) {
            node.inter_rate += rates[first[n] + static_cast<std::size_t>(i)];
        }
        node.inter_latency_ms = latency;
    }
}

Rate rate_of(double bytes_per_ms) {
    return Rate(
        std::max<std::int64_t>(1, std::llround(std::min(bytes_per_ms * ms_per_second, 9e18))));
}

Time time_of(double ms) {
    return Time::ps(std::llround(std::max(0.0, ms) * ps_per_ms));
}

}  // namespace

void use_network(Cluster& cluster, const topology::NetworkDescription& network,
                 const std::string& file) {
    if (network.npu_of_rank.size() != static_cast<std::size_t>(cluster.devices())) {
        throw InputError({file, "", fmt::format("{} NPUs", network.npu_of_rank.size()),
                          fmt::format("the {} devices of the hostfile", cluster.devices()),
                          "Describe the network of these nodes, or leave --network out"});
    }
    std::size_t first = 0;
    for (Node& node : cluster.nodes) {
        use_inside(node, first, network);
        first += static_cast<std::size_t>(node.devices);
    }
    use_between(cluster, network);
    for (Node& node : cluster.nodes) {
        // What a node has no use for must not tell equal nodes apart.
        if (node.devices == 1) {
            node.intra_rate = node.inter_rate;
            node.intra_latency_ms = 0;
        }
    }
}

topology::NetworkDescription network_of(const Cluster& cluster) {
    topology::NetworkDescription network;
    network.name = "nodes of the cluster";
    const auto devices = static_cast<std::size_t>(cluster.devices());
    for (std::size_t i = 0; i < devices; ++i) {
        network.npu_of_rank.push_back(
            network.graph.add_node(topology::NodeKind::Npu, fmt::format("npu{}", i)));
    }
    std::vector<NodeId> switches;
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
        switches.push_back(
            network.graph.add_node(topology::NodeKind::Switch, fmt::format("node{}", n)));
    }
    const NodeId core = network.graph.add_node(topology::NodeKind::Switch, "core");
    const auto join = [&](NodeId a, NodeId b, Rate rate, Time latency) {
        network.graph.add_link({a, b, rate, latency});
        network.graph.add_link({b, a, rate, latency});
    };
    std::size_t device = 0;
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
        const Node& node = cluster.nodes[n];
        for (std::int64_t i = 0; i < node.devices; ++i, ++device) {
            join(network.npu_of_rank[device], switches[n], rate_of(node.intra_rate),
                 time_of(node.intra_latency_ms / 2));
        }
        join(switches[n], core, rate_of(node.inter_rate),
             time_of((node.inter_latency_ms - node.intra_latency_ms) / 2));
    }
    network.router = std::make_shared<topology::ShortestPathRouter>();
    return network;
}

}  // namespace npunet::planner

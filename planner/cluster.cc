#include "planner/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/errors.h"

namespace npunet::planner {

namespace {

const ClusterEntry& entry_of(const Host& host, const std::filesystem::path& hostfile,
                             const std::vector<ClusterEntry>& entries,
                             const std::filesystem::path& cluster_file) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const ClusterEntry& entry) {
        return entry.address == host.address;
    });
    if (found == entries.end()) {
        throw InputError({hostfile.string(), fmt::format("line {}", host.line),
                          fmt::format("address '{}'", host.address),
                          fmt::format("an address of {}", cluster_file.string()),
                          fmt::format("Add an entry \"{}\" to it", host.address)});
    }
    return *found;
}

std::size_t index_of(std::vector<std::string>& types, const std::string& type) {
    const auto found = std::find(types.begin(), types.end(), type);
    const auto index = static_cast<std::size_t>(found - types.begin());
    if (found == types.end()) {
        types.push_back(type);
    }
    return index;
}

bool are_equal(const Node& a, const Node& b) {
    return a.type == b.type && a.devices == b.devices && a.memory_mib == b.memory_mib &&
           a.intra_rate == b.intra_rate && a.inter_rate == b.inter_rate &&
           a.intra_latency_ms == b.intra_latency_ms && a.inter_latency_ms == b.inter_latency_ms;
}

}  // namespace

std::int64_t Cluster::devices() const {
    return std::accumulate(nodes.begin(), nodes.end(), std::int64_t{0},
                           [](std::int64_t sum, const Node& node) { return sum + node.devices; });
}

Cluster make_cluster(const std::vector<Host>& hosts, const std::filesystem::path& hostfile,
                     const std::vector<ClusterEntry>& entries,
                     const std::filesystem::path& cluster_file) {
    constexpr double mib_per_gib = 1024;
    Cluster cluster;
    for (const Host& host : hosts) {
        const ClusterEntry& entry = entry_of(host, hostfile, entries, cluster_file);
        Node node;
        node.address = host.address;
        node.type = index_of(cluster.types, entry.instance_type);
        node.devices = host.slots;
        node.memory_mib = entry.memory_gib * mib_per_gib;
        node.intra_rate = entry.intra_bandwidth * bytes_per_ms_of_gbps;
        node.inter_rate = entry.inter_bandwidth * bytes_per_ms_of_gbps;
        cluster.nodes.push_back(std::move(node));
    }
    return cluster;
}

std::vector<NodeClass> classes_of(const Cluster& cluster) {
    std::vector<NodeClass> classes;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        const Node& node = cluster.nodes[i];
        const auto found =
            std::find_if(classes.begin(), classes.end(),
                         [&](const NodeClass& known) { return are_equal(known.node, node); });
        if (found == classes.end()) {
            classes.push_back({node, {i}});
        } else {
            found->members.push_back(i);
        }
    }
    return classes;
}

}  // namespace npunet::planner

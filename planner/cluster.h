// The machines of a plan: nodes with devices of one type each, and how fast they exchange data.
//
//     Cluster cluster = make_cluster(read_hostfile(h, HostfileRules::Npunet), h,
//                                    read_cluster_file(c, ClusterFileRules::Npunet), c);
//     use_network(cluster, network);           // network_rates.h: rates from a network.yml
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "planner/cluster_file.h"
#include "planner/hostfile.h"

namespace npunet::planner {

/// A node as docs/planner.md describes it.
struct Node {
    std::string address;
    std::size_t type = 0;      ///< index into Cluster::types
    std::int64_t devices = 1;  ///< K, all of the type
    double memory_mib = 0;     ///< M, of a device
    double intra_rate = 0;     ///< A, bytes per ms, above 0
    double inter_rate = 0;     ///< E, bytes per ms, above 0; shared by the devices
    double intra_latency_ms = 0;
    double inter_latency_ms = 0;
};

struct Cluster {
    std::vector<std::string> types;  ///< in the order in which the nodes bring them, each used
    std::vector<Node> nodes;         ///< in the order of the hostfile

    [[nodiscard]] std::int64_t devices() const;
};

/// Bytes per ms of 1 GB/s.
constexpr double bytes_per_ms_of_gbps = 1e6;

/// Throws InputError for a host without an entry in the cluster file.
[[nodiscard]] Cluster make_cluster(const std::vector<Host>& hosts,
                                   const std::filesystem::path& hostfile,
                                   const std::vector<ClusterEntry>& entries,
                                   const std::filesystem::path& cluster_file);

/// Nodes that are equal in everything but their address.
struct NodeClass {
    Node node;                         ///< the first of them
    std::vector<std::size_t> members;  ///< indices into Cluster::nodes, ascending
};

/// In the order of their first members.
[[nodiscard]] std::vector<NodeClass> classes_of(const Cluster& cluster);

}  // namespace npunet::planner

// Hostfiles and cluster files of clusters that do not exist: so many devices of each type.
//
//     ClusterRequest request;
//     request.types = {"V100", "A100"};
//     request.devices = 16;                                    // of each type
//     const std::vector<NodeGroup> groups = synthetic_cluster(request);
//     hostfile_text(groups);                                   // 4 x "0.0.0.1 slots=4", ...
//     cluster_file_text(groups);
//
// V100, P100, T4 and A100 stand at the addresses 0.0.0.1 to 0.0.0.4, as in the files of Metis, with
// the bandwidths and memory that those give them; other types from 0.0.0.5 on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/cluster_file.h"

namespace npunet::planner {

/// Nodes of one type.
struct NodeGroup {
    ClusterEntry entry;
    std::int64_t nodes = 0;
    std::int64_t slots = 0;  ///< devices of a node
};

/// Each list has one value for all types, or one for each; an empty one leaves it open.
struct ClusterRequest {
    std::vector<std::string> types;
    std::optional<std::int64_t> devices;  ///< of each type; or else
    std::vector<std::int64_t> nodes;      ///< of each type
    std::vector<std::int64_t> slots{4};
    std::vector<double> memory_gib;
    std::vector<double> intra_bandwidth;  ///< GB/s
    std::vector<double> inter_bandwidth;  ///< GB/s
};

/// What Metis's files say of a type, its address included; empty for other types.
[[nodiscard]] std::optional<ClusterEntry> known_cluster_entry(const std::string& type);

/// In the order of the types. What is neither given nor known of a type stays 0. Throws InputError
/// (naming options of npunet plan hostfile) for lists of another length, devices that are no whole
/// number of nodes, a type that stands there twice, and more devices than a hostfile may have.
[[nodiscard]] std::vector<NodeGroup> synthetic_cluster(const ClusterRequest& request);

[[nodiscard]] std::string hostfile_text(const std::vector<NodeGroup>& groups);

/// Throws InputError for a type of which memory or a bandwidth is not known.
[[nodiscard]] std::string cluster_file_text(const std::vector<NodeGroup>& groups);

}  // namespace npunet::planner

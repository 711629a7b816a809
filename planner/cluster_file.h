// The cluster file: what stands at each address of the hostfile.
//
//     {"0.0.0.1": {"instance_type": "V100", "inter_bandwidth": 10, "intra_bandwidth": 50,
//                  "memory": 16}}
//
// Bandwidths are GB/s: between a node and the others (shared by the node's devices), and between
// two devices inside a node. The memory is that of one device in GiB.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace npunet::planner {

struct ClusterEntry {
    std::string address;
    std::string instance_type;
    double inter_bandwidth = 0;  ///< GB/s, above 0
    double intra_bandwidth = 0;  ///< GB/s, above 0
    double memory_gib = 0;       ///< of a device, above 0
};

enum class ClusterFileRules {
    Npunet,  ///< any name of an instance type
    Metis    ///< A100, V100, P100 or T4, in any case
};

/// The entries in the order of the file. Throws InputError with file and place for what is no such
/// file, a field that is missing or no positive number, and an address that stands there twice.
[[nodiscard]] std::vector<ClusterEntry> read_cluster_file(const std::filesystem::path& file,
                                                          ClusterFileRules rules);

}  // namespace npunet::planner

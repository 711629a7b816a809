// The cluster as Metis sees it: nodes with a type each, and for every type its memory and
// bandwidths.
//
//     Cluster cluster(inputs, arguments);
//     cluster.types();                         // in the order of the search's first node sequence
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/metis/arguments.h"

namespace npunet::planner::metis {

/// In a GB/s, as Metis has it.
constexpr double bytes_per_ms = 1024.0 * 1024.0;

/// All nodes of one type. Bandwidths in GB/s; Metis reads the one inside nodes for between them
/// too.
struct DeviceType {
    std::string name;
    std::int64_t devices = 0;
    std::int64_t nodes = 0;
    double memory_mib = 0;       ///< of a device
    double first_bandwidth = 0;  ///< of its first node in the hostfile
    double least_bandwidth = 0;  ///< of its slowest node
};

class Cluster {
public:
    /// Throws InputError for a host without entry, a type without memory in the cluster file, and a
    /// device order that is not the types of the hostfile.
    Cluster(const Inputs& inputs, const Arguments& arguments);

    [[nodiscard]] const std::vector<DeviceType>& types() const { return types_; }
    [[nodiscard]] std::int64_t devices() const { return devices_; }
    /// Of the first node: Metis takes all nodes to be like it where it asks on which node a rank
    /// is.
    [[nodiscard]] std::int64_t slots() const { return slots_; }
    /// Of the first node, in GB/s.
    [[nodiscard]] double first_node_bandwidth() const { return first_node_bandwidth_; }

private:
    std::vector<DeviceType> types_;
    std::int64_t devices_ = 0;
    std::int64_t slots_ = 0;
    double first_node_bandwidth_ = 0;
};

}  // namespace npunet::planner::metis

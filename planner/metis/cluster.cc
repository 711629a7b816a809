#include "planner/metis/cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "base/errors.h"

namespace npunet::planner::metis {

namespace {

std::string in_capitals(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return name;
}

const ClusterEntry& entry_of(const Host& host, const Inputs& inputs) {
    const auto entry =
        std::find_if(inputs.cluster.begin(), inputs.cluster.end(),
                     [&](const ClusterEntry& each) { return each.address == host.address; });
    if (entry == inputs.cluster.end()) {
        throw InputError({inputs.hostfile.string(), fmt::format("line {}", host.line),
                          "'" + host.address + "'", "an address of the cluster file",
                          "Add it to " + inputs.cluster_file.string()});
    }
    return *entry;
}

/// Of the first entry of that very name, whether there is such a host or not.
double memory_of(const std::string& type, const Inputs& inputs) {
    for (const ClusterEntry& entry : inputs.cluster) {
        if (entry.instance_type == type) {
            return entry.memory_gib * 1024;
        }
    }
    throw InputError({inputs.cluster_file.string(), "instance_type",
                      "no entry of the type " + type + ", so written",
                      "one, whose memory counts for all devices of the type",
                      "Write the type in capitals"});
}

DeviceType& type_named(const std::string& name, std::vector<DeviceType>& types) {
    const auto found = std::find_if(types.begin(), types.end(),
                                    [&](const DeviceType& type) { return type.name == name; });
    return found == types.end() ? types.emplace_back() : *found;
}

std::vector<DeviceType> in_order(const std::vector<DeviceType>& types,
                                 const std::vector<std::string>& order) {
    std::vector<std::string> names;
    for (const DeviceType& type : types) {
        names.push_back(type.name);
    }
    std::vector<DeviceType> ordered;
    for (const std::string& name : order) {
        const auto found = std::find(names.begin(), names.end(), name);
        const auto doubled = std::count(order.begin(), order.end(), name) > 1;
        if (found == names.end() || doubled) {
            throw InputError(
                {"--device-order", "", doubled ? "'" + name + "' twice" : "'" + name + "'",
                 fmt::format("the types of the hostfile, each once: {}", fmt::join(names, ",")),
                 ""});
        }
        ordered.push_back(types[static_cast<std::size_t>(found - names.begin())]);
    }
    if (ordered.size() != types.size()) {
        throw InputError(
            {"--device-order", "", fmt::format("{}", fmt::join(order, ",")),
             fmt::format("the types of the hostfile, each once: {}", fmt::join(names, ",")),
             "Name all types"});
    }
    return ordered;
}

}  // namespace

Cluster::Cluster(const Inputs& inputs, const Arguments& arguments) {
    for (const Host& host : inputs.hosts) {
        const ClusterEntry& entry = entry_of(host, inputs);
        const std::string name = in_capitals(entry.instance_type);
        DeviceType& type = type_named(name, types_);
        if (type.nodes == 0) {
            type.name = name;
            type.memory_mib = memory_of(name, inputs);
            type.first_bandwidth = entry.intra_bandwidth;
            type.least_bandwidth = entry.intra_bandwidth;
        }
        type.least_bandwidth = std::min(type.least_bandwidth, entry.intra_bandwidth);
        type.nodes += 1;
        type.devices += host.slots;
        devices_ += host.slots;
    }
    slots_ = inputs.hosts.front().slots;
    first_node_bandwidth_ = entry_of(inputs.hosts.front(), inputs).intra_bandwidth;
    if (!arguments.device_order.empty()) {
        types_ = in_order(types_, arguments.device_order);
    }
}

}  // namespace npunet::planner::metis

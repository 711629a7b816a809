#include "planner/synthetic_hostfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "planner/hostfile.h"

namespace npunet::planner {

namespace {

/// The entry of a list for the type of that number; `open` where the list is empty.
template <class T>
T value_for(const std::vector<T>& list, std::size_t type, T open) {
    if (list.empty()) {
        return open;
    }
    return list[list.size() == 1 ? 0 : type];
}

void check_length(const char* option, std::size_t length, std::size_t types) {
    if (length > 1 && length != types) {
        throw InputError({option, "", fmt::format("{} values", length),
                          fmt::format("one for all types, or one for each of the {}", types), ""});
    }
}

void check(const ClusterRequest& request) {
    check_length("--nodes", request.nodes.size(), request.types.size());
    check_length("--slots", request.slots.size(), request.types.size());
    check_length("--memory", request.memory_gib.size(), request.types.size());
    check_length("--intra-bandwidth", request.intra_bandwidth.size(), request.types.size());
    check_length("--inter-bandwidth", request.inter_bandwidth.size(), request.types.size());
    for (auto type = request.types.begin(); type != request.types.end(); ++type) {
        if (std::find(request.types.begin(), type, *type) != type) {
            throw InputError({"--types", "", fmt::format("{} twice", *type), "every type once",
                              "Give the numbers of nodes with --nodes"});
        }
    }
    if (request.devices.has_value() == !request.nodes.empty()) {
        throw InputError({"N", "", request.devices ? "beside --nodes" : "no value",
                          "the devices of each type, or with --nodes its nodes",
                          "Give one of the two"});
    }
}

std::int64_t nodes_of(std::int64_t devices, std::int64_t slots, const std::string& type) {
    if (devices % slots == 0) {
        return devices / slots;
    }
    const std::int64_t less = devices - devices % slots;
    const std::string smaller = less > 0 ? fmt::format("{} or ", less) : "";
    throw InputError(
        {"N", "", fmt::format("{}", devices),
         fmt::format("a multiple of {}, the devices of a node of {} (--slots)", slots, type),
         fmt::format("{}{} would do", smaller, less + slots)});
}

/// The entry without a value that is neither given nor known.
ClusterEntry entry_of(const ClusterRequest& request, std::size_t number, int& next_address) {
    const std::string& type = request.types[number];
    ClusterEntry entry = known_cluster_entry(type).value_or(ClusterEntry{});
    if (entry.address.empty()) {
        entry.address = fmt::format("0.0.{}.{}", next_address / 256, next_address % 256);
        ++next_address;
    }
    entry.instance_type = type;
    entry.memory_gib = value_for(request.memory_gib, number, entry.memory_gib);
    entry.intra_bandwidth = value_for(request.intra_bandwidth, number, entry.intra_bandwidth);
    entry.inter_bandwidth = value_for(request.inter_bandwidth, number, entry.inter_bandwidth);
    return entry;
}

/// A number without a fraction where it has none, as people write it.
nlohmann::ordered_json plain(double number) {
    constexpr double exact = 9007199254740992.0;
    return number == std::floor(number) && number < exact
               ? nlohmann::ordered_json(static_cast<std::int64_t>(number))
               : nlohmann::ordered_json(number);
}

double known(double value, const char* what, const char* option, const std::string& type) {
    if (value > 0) {
        return value;
    }
    throw InputError(
        {option, "", "no value",
         fmt::format("the {} of {}, which is not among V100, P100, T4 and A100", what, type),
         fmt::format("Give {}", option)});
}

}  // namespace

std::optional<ClusterEntry> known_cluster_entry(const std::string& type) {
    static const std::array<ClusterEntry, 4> entries{{{"0.0.0.1", "V100", 10, 50, 16},
                                                      {"0.0.0.2", "P100", 10, 50, 15},
                                                      {"0.0.0.3", "T4", 10, 50, 15},
                                                      {"0.0.0.4", "A100", 10, 46, 80}}};
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const ClusterEntry& entry) {
        return entry.instance_type == type;
    });
    return found == entries.end() ? std::nullopt : std::optional(*found);
}

std::vector<NodeGroup> synthetic_cluster(const ClusterRequest& request) {
    check(request);
    std::vector<NodeGroup> groups;
    std::int64_t devices = 0;
    int next_address = 5;
    for (std::size_t i = 0; i < request.types.size(); ++i) {
        NodeGroup group{entry_of(request, i, next_address)};
        group.slots = value_for<std::int64_t>(request.slots, i, 1);
        group.nodes = request.devices ? nodes_of(*request.devices, group.slots, request.types[i])
                                      : value_for<std::int64_t>(request.nodes, i, 0);
        devices += group.nodes * group.slots;
        groups.push_back(group);
    }
    if (devices > most_devices) {
        throw InputError({request.devices ? "N" : "--nodes", "", fmt::format("{} devices", devices),
                          fmt::format("at most {} in all", most_devices), ""});
    }
    return groups;
}

std::string hostfile_text(const std::vector<NodeGroup>& groups) {
    std::string text;
    for (const NodeGroup& group : groups) {
        for (std::int64_t node = 0; node < group.nodes; ++node) {
            text += fmt::format("{} slots={}\n", group.entry.address, group.slots);
        }
    }
    return text;
}

std::string cluster_file_text(const std::vector<NodeGroup>& groups) {
    nlohmann::ordered_json document;
    for (const NodeGroup& group : groups) {
        const ClusterEntry& entry = group.entry;
        const std::string& type = entry.instance_type;
        document[entry.address] = {
            {"instance_type", type},
            {"inter_bandwidth", plain(known(entry.inter_bandwidth, "bandwidth between nodes",
                                            "--inter-bandwidth", type))},
            {"intra_bandwidth", plain(known(entry.intra_bandwidth, "bandwidth inside a node",
                                            "--intra-bandwidth", type))},
            {"memory", plain(known(entry.memory_gib, "memory", "--memory", type))}};
    }
    return document.dump(4, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace npunet::planner

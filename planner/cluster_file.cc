#include "planner/cluster_file.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/errors.h"
#include "base/json_object.h"

namespace npunet::planner {

namespace {

/// Memory and bandwidth of a node or device.
constexpr NumberRange gibibytes{0.001, 1e9};
constexpr NumberRange gigabytes_per_second{0.001, 1e9};

constexpr std::array metis_types{"A100", "V100", "P100", "T4"};

bool known_to_metis(std::string type) {
    std::transform(type.begin(), type.end(), type.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return std::find(metis_types.begin(), metis_types.end(), type) != metis_types.end();
}

}  // namespace

std::vector<ClusterEntry> read_cluster_file(const std::filesystem::path& file,
                                            ClusterFileRules rules) {
    const auto document =
        read_json_object<nlohmann::ordered_json>(file, {"a cluster file", "Check the path"});
    const JsonObject root(file, document);
    std::vector<ClusterEntry> entries;
    for (const auto& [address, fields] : document.items()) {
        const JsonObject entry = root.object(address);
        entries.push_back({address, entry.text("instance_type"),
                           entry.number("inter_bandwidth", gigabytes_per_second),
                           entry.number("intra_bandwidth", gigabytes_per_second),
                           entry.number("memory", gibibytes)});
        const std::string& type = entries.back().instance_type;
        if (rules == ClusterFileRules::Metis && !known_to_metis(type)) {
            throw InputError({file.string(), address + ": instance_type", "'" + type + "'",
                              "A100, V100, P100 or T4, the types that Metis knows",
                              "The default dialect takes any name"});
        }
    }
    if (entries.empty()) {
        throw InputError({file.string(), "", "no address", "an entry for each kind of node", ""});
    }
    return entries;
}

}  // namespace npunet::planner

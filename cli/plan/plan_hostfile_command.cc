#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "cli/command/commands.h"
#include "cli/command/messages.h"
#include "cli/command/option_values.h"
#include "cli/command/output_options.h"
#include "engine/device/device_profile.h"
#include "planner/profile_file.h"
#include "planner/synthetic_hostfile.h"

namespace npunet::cli {

namespace {

using planner::ClusterRequest;
using planner::NodeGroup;

constexpr std::int64_t most_nodes = 65536;
constexpr std::int64_t most_slots = 4096;

struct HostfileOptions {
    std::optional<std::int64_t> devices;
    std::vector<std::string> types{"V100,A100"};
    std::vector<std::string> nodes;
    std::vector<std::string> slots{"4"};
    std::vector<std::string> memory;
    std::vector<std::string> device_profiles;
    std::vector<std::string> intra_bandwidth;
    std::vector<std::string> inter_bandwidth;
    std::string output;
    std::string cluster_file;
    bool json = false;
};

/// The numbers of a list; `Number` is a whole or a decimal one.
template <class Number>
std::vector<Number> numbers_of(const char* option, const std::vector<std::string>& values,
                               Number least, Number most) {
    std::vector<Number> numbers;
    for (const std::string& item : values.empty() ? values : list_items(values)) {
        Number number{};
        const char* last = item.data() + item.size();
        const auto [end, error] = std::from_chars(item.data(), last, number);
        if (error != std::errc{} || end != last || !(number >= least && number <= most)) {
            throw InputError(
                {option, "", fmt::format("'{}'", item),
                 fmt::format("numbers from {} to {}, separated by commas", least, most), ""});
        }
        numbers.push_back(number);
    }
    return numbers;
}

std::vector<std::string> types_of(const std::vector<std::string>& values) {
    std::vector<std::string> types = list_items(values);
    for (const std::string& type : types) {
        if (!planner::is_type_name(type)) {
            throw InputError({"--types", "", fmt::format("'{}'", type),
                              "names of letters and digits, separated by commas", ""});
        }
    }
    return types;
}

/// Memory of a device in GiB, rounded down to hundredths, which its profile gives in GB.
std::vector<double> capacities_of(const std::vector<std::string>& profiles) {
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    std::vector<double> capacities;
    for (const std::string& name : profiles.empty() ? profiles : list_items(profiles)) {
        const engine::DeviceProfile device = engine::load_device_profile(name);
        capacities.push_back(std::floor(device.memory_capacity * 1e9 / gib * 100) / 100);
    }
    return capacities;
}

ClusterRequest request_of(const HostfileOptions& options) {
    constexpr double least = 1e-3;
    constexpr double most = 1e6;
    ClusterRequest request;
    request.types = types_of(options.types);
    request.devices = options.devices;
    request.nodes = numbers_of<std::int64_t>("--nodes", options.nodes, 1, most_nodes);
    request.slots = numbers_of<std::int64_t>("--slots", options.slots, 1, most_slots);
    request.memory_gib = options.memory.empty()
                             ? capacities_of(options.device_profiles)
                             : numbers_of("--memory", options.memory, least, most);
    request.intra_bandwidth = numbers_of("--intra-bandwidth", options.intra_bandwidth, least, most);
    request.inter_bandwidth = numbers_of("--inter-bandwidth", options.inter_bandwidth, least, most);
    return request;
}

void write(const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.stream() << text;
    file.commit();
}

void print_json(const HostfileOptions& options, const std::vector<NodeGroup>& groups,
                std::ostream& out) {
    using Json = nlohmann::ordered_json;
    Json document;
    std::int64_t devices = 0;
    document["groups"] = Json::array();
    for (const NodeGroup& group : groups) {
        devices += group.nodes * group.slots;
        document["groups"].push_back({{"type", group.entry.instance_type},
                                      {"address", group.entry.address},
                                      {"nodes", group.nodes},
                                      {"slots", group.slots}});
    }
    document["devices"] = devices;
    document["hostfile"] = options.output.empty() ? Json() : Json(options.output);
    document["cluster_file"] = options.cluster_file.empty() ? Json() : Json(options.cluster_file);
    print_document(document, out);
}

void run_hostfile(const HostfileOptions& options, CommandContext& context) {
    if (!options.output.empty() && options.output == options.cluster_file) {
        throw InputError({"--clusterfile", "", "the same file as --output", "another name", ""});
    }
    const std::vector<NodeGroup> groups = planner::synthetic_cluster(request_of(options));
    const std::string hosts = planner::hostfile_text(groups);
    if (!options.cluster_file.empty()) {
        write(options.cluster_file, planner::cluster_file_text(groups));
    }
    if (!options.output.empty()) {
        write(options.output, hosts);
    }
    if (options.json) {
        print_json(options, groups, context.out);
    } else if (options.output.empty()) {
        context.out << hosts;
    } else {
        context.out << fmt::format(
            "{} in {}\n", counted(std::count(hosts.begin(), hosts.end(), '\n'), "node", "nodes"),
            options.output);
    }
}

void add_cluster_options(CLI::App& command, HostfileOptions& options) {
    command
        .add_option("N", options.devices,
                    "Devices of each type, a multiple of --slots (instead: --nodes)")
        ->check(whole_number(1, most_nodes));
    const auto list = [&command](const char* name, std::vector<std::string>& values,
                                 const char* help) {
        return command.add_option(name, values, help)->type_name("LIST");
    };
    list("--types", options.types, "Types of devices, in the order of their nodes")
        ->capture_default_str();
    list("--nodes", options.nodes, "Nodes of each type: one number, or one per type");
    list("--slots", options.slots, "Devices of a node: one number, or one per type")
        ->capture_default_str();
    list("--memory", options.memory,
         "Memory of a device in GiB: one number, or one per type (default: known for V100, P100, "
         "T4 and A100)");
    list("--device", options.device_profiles,
         "Device profiles whose memory is the default of --memory: one, or one per type");
    list("--intra-bandwidth", options.intra_bandwidth,
         "GB/s between the devices of a node: one number, or one per type");
    list("--inter-bandwidth", options.inter_bandwidth,
         "GB/s between nodes: one number, or one per type");
}

}  // namespace

void add_plan_hostfile_command(CLI::App& plan, CommandContext& context) {
    const auto options = std::make_shared<HostfileOptions>();
    CLI::App* command =
        plan.add_subcommand("hostfile", "A hostfile and a cluster file with devices of each type");
    add_cluster_options(*command, *options);
    command->add_option("--output", options->output, "Write the hostfile here instead of printing")
        ->type_name("FILE");
    command
        ->add_option("--clusterfile,--cluster-file", options->cluster_file,
                     "Write the matching cluster file here: bandwidths and memory of each type")
        ->type_name("FILE");
    add_json_flag(*command, options->json);
    command->footer(
        "Example:\n"
        "  npunet plan hostfile 16\n"
        "  npunet plan hostfile --types A100,H100 --nodes 2,1 --slots 4,8 --memory 80 \\\n"
        "      --intra-bandwidth 300,450 --inter-bandwidth 25 --output hostfile \\\n"
        "      --clusterfile clusterfile.json");
    command->callback([options, &context] { run_hostfile(*options, context); });
}

}  // namespace npunet::cli

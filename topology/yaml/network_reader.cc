#include "topology/yaml/network_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/yaml_field.h"
#include "topology/builders/builder.h"
#include "topology/network/network_description.h"
#include "topology/network/packet_checks.h"
#include "topology/network/reducing_switches.h"
#include "topology/network/scale_up.h"
#include "topology/yaml/infragraph_file.h"
#include "topology/yaml/link_fields.h"
#include "topology/yaml/machine.h"
#include "topology/yaml/network_sections.h"
#include "topology/yaml/physical_file.h"
#include "topology/yaml/standalone_network.h"

namespace npunet::topology {

namespace {

constexpr const char* beginning = "topology: [Ring]";

/// A word of `topology`, and the dimensions that it stands for.
struct Family {
    const char* name;
    DimensionKind kind;
    std::size_t dimensions;
};

constexpr Family families[] = {
    {"Ring", DimensionKind::Ring, 1},     {"FullyConnected", DimensionKind::FullyConnected, 1},
    {"Switch", DimensionKind::Switch, 1}, {"Mesh1D", DimensionKind::Mesh1D, 1},
    {"Mesh2D", DimensionKind::Mesh1D, 2}, {"Torus2D", DimensionKind::Ring, 2},
    {"Torus3D", DimensionKind::Ring, 3}};

const Family& family_of(const YamlField& field) {
    std::vector<std::string> names;
    for (const Family& family : families) {
        names.emplace_back(family.name);
    }
    const std::vector<std::string>& own = standalone_network_names();
    const std::string what = field.is_text() ? field.text("a topology") : "";
    if (std::find(own.begin(), own.end(), what) != own.end()) {
        field.refuse(field.found(), "its parameters, and no other entry",
                     fmt::format("Write {}: {{...}} instead of topology", what));
    }
    names.insert(names.end(), own.begin(), own.end());
    const std::string name = one_of(field, names);
    return *std::find_if(std::begin(families), std::end(families),
                         [&](const Family& family) { return family.name == name; });
}

/// The side of a square or cube of `npus`; 0 when it is none.
std::int64_t side_of(std::int64_t npus, std::size_t dimensions) {
    const auto side =
        std::llround(std::pow(static_cast<double>(npus), 1.0 / static_cast<double>(dimensions)));
    std::int64_t volume = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
        volume *= side;
    }
    return volume == npus ? side : 0;
}

std::vector<std::int64_t> sizes_of(const YamlField& field, const Family& family) {
    std::vector<std::int64_t> sizes;
    if (field.is_list()) {
        const std::vector<YamlField> items = field.items();
        if (items.size() != family.dimensions) {
            field.refuse(field.found(),
                         fmt::format("{} sizes for {}", family.dimensions, family.name));
        }
        for (const YamlField& item : items) {
            sizes.push_back(item.whole(1, most_npus, "a number of NPUs"));
        }
        return sizes;
    }
    const std::int64_t npus = field.whole(1, most_npus, "a number of NPUs");
    const std::int64_t side = side_of(npus, family.dimensions);
    if (side == 0) {
        field.refuse(field.found(), family.dimensions == 2 ? "a square number" : "a cubic number",
                     family.dimensions == 2 ? "Give width and height: [[4, 3]]"
                                            : "Give three sizes: [[4, 3, 2]]");
    }
    sizes.assign(family.dimensions, side);
    return sizes;
}

/// The list at `key`, as long as the topology.
std::vector<YamlField> list_at(const YamlField& root, const char* key, std::size_t entries) {
    const YamlField field = root.at(key);
    std::vector<YamlField> items = field.items();
    if (items.size() != entries) {
        field.refuse(fmt::format("{} values", items.size()),
                     fmt::format("{}, one for each entry of topology", entries),
                     "A Mesh2D or Torus2D is one entry: npus_count: [[4, 4]]");
    }
    return items;
}

/// One value for all dimensions of an entry, or a list with one for each.
std::vector<YamlField> value_for_each(const YamlField& field, std::size_t dimensions) {
    if (!field.is_list()) {
        return std::vector<YamlField>(dimensions, field);
    }
    std::vector<YamlField> items = field.items();
    if (items.size() != dimensions) {
        field.refuse(field.found(),
                     fmt::format("one value, or one for each of {} dimensions", dimensions));
    }
    return items;
}

std::vector<Family> read_families(const YamlField& topology) {
    std::vector<Family> words;
    for (const YamlField& entry : topology.items()) {
        words.push_back(family_of(entry));
    }
    if (words.empty()) {
        topology.refuse("an empty list", "at least one dimension", "For example: [Ring]");
    }
    return words;
}

std::vector<Dimension> read_dimensions(const YamlField& root, GigaByte gigabyte) {
    const std::vector<Family> words = read_families(root.at("topology"));
    const auto counts = list_at(root, "npus_count", words.size());
    const auto bandwidths = list_at(root, "bandwidth", words.size());
    const auto latencies = list_at(root, "latency", words.size());
    std::vector<Dimension> dimensions;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t width = words[i].dimensions;
        const auto sizes = sizes_of(counts[i], words[i]);
        const auto bandwidth = value_for_each(bandwidths[i], width);
        const auto latency = value_for_each(latencies[i], width);
        for (std::size_t d = 0; d < width; ++d) {
            Dimension dimension;
            dimension.kind = words[i].kind;
            dimension.size = static_cast<std::int32_t>(sizes[d]);
            const Bandwidth speed = bandwidth_at(bandwidth[d], gigabyte);
            const Latency delay = latency_at(latency[d]);
            dimension.rate = speed.rate;
            dimension.bandwidth_gbps = speed.gbps;
            dimension.latency = delay.time;
            dimension.latency_ns = delay.ns;
            dimensions.push_back(dimension);
        }
    }
    return dimensions;
}

std::string name_of_topology(const YamlField& topology) {
    std::string name;
    for (const YamlField& entry : topology.items()) {
        name += (name.empty() ? "" : " x ") + entry.text("a topology");
    }
    return name;
}

void check_size(const YamlField& counts, const NetworkSize& size) {
    if (size.npus > most_npus) {
        counts.refuse(fmt::format("more than {} NPUs in all", most_npus),
                      fmt::format("at most {}", most_npus));
    }
    if (size.npus + size.switches > most_nodes) {
        counts.refuse(fmt::format("{} NPUs and switches", size.npus + size.switches),
                      fmt::format("at most {}", most_nodes));
    }
    if (size.links > most_links) {
        counts.refuse(fmt::format("{} links or more", size.links),
                      fmt::format("at most {}", most_links),
                      "Use a Switch instead of a large FullyConnected dimension");
    }
}

/// `reduces`, one entry for each of topology.
void read_reduces(const YamlField& root, const UnknownKeys& unknown, NetworkDescription& network) {
    const std::vector<Family> words = read_families(root.at("topology"));
    const std::vector<YamlField> entries = list_at(root, "reduces", words.size());
    std::int32_t dimension = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto limits = reduces_at(entries[i], unknown);
        if (limits && words[i].kind != DimensionKind::Switch) {
            entries[i].refuse(fmt::format("reduces of a {}", words[i].name),
                              "false, or a Switch, which has a switch that could");
        }
        if (limits) {
            let_switches_of_dimension_reduce(dimension, *limits, network);
        }
        dimension += static_cast<std::int32_t>(words[i].dimensions);
    }
}

/// `link_names`, one for each dimension: the name of its tier.
void read_link_names(const YamlField& root, NetworkDescription& network) {
    const std::vector<Family> words = read_families(root.at("topology"));
    const std::vector<YamlField> entries = list_at(root, "link_names", words.size());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (const YamlField& entry : value_for_each(entries[i], words[i].dimensions)) {
            std::string name = entry.text("a name");
            if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) {
                entry.refuse(entry.found(), "a name of its own for each dimension",
                             "For example: [scale-up, NIC]");
            }
            network.tiers[names.size()].name = name;
            names.push_back(std::move(name));
        }
    }
}

NetworkDescription read_product(const YamlField& root, GigaByte gigabyte,
                                const UnknownKeys& unknown) {
    std::vector<Dimension> dimensions = read_dimensions(root, gigabyte);
    check_size(root.at("npus_count"), network_size_of(dimensions));
    NetworkDescription network =
        make_network(std::move(dimensions), name_of_topology(root.at("topology")));
    if (root.find("reduces")) {
        read_reduces(root, unknown, network);
    }
    if (root.find("link_names")) {
        read_link_names(root, network);
    }
    return network;
}

/// The field of a dotted path, or the last one on the way to it that there is.
YamlField field_at(YamlField field, const std::string& path) {
    std::istringstream keys(path);
    for (std::string key; std::getline(keys, key, '.');) {
        const auto next = field.is_map() ? field.find(key) : std::nullopt;
        if (!next) {
            break;
        }
        field = *next;
    }
    return field;
}

/// `Custom: {file: NAME}` beside that file.
std::string custom_text(const std::string& path) {
    std::string quoted;
    for (const char c : std::filesystem::path(path).filename().string()) {
        quoted += c == '\'' ? "''" : std::string(1, c);
    }
    return "Custom: {file: '" + quoted + "'}";
}

/// Whether packets of a message may take several routes where network.yml does not say that they
/// should: go-back-n mistakes what overtakes for losses, and HPCC and the credits of a receiver
/// watch one path.
bool may_overtake(const PacketParameters& packet) {
    return packet.transport.kind != TransportKind::GoBackN &&
           !needs_of(packet.congestion_control).telemetry &&
           packet.congestion_control.algorithm != CongestionAlgorithm::ReceiverCredit;
}

/// Of links of one kind.
void check_packets(const YamlField& root, const UnknownKeys& unknown,
                   const NetworkDescription& network) {
    check_transport(network, root.file(), "packet", unknown.warnings);
    if (const auto problem = ethernet_problem(network)) {
        field_at(root, "packet." + problem->key)
            .refuse(problem->found, problem->expected, problem->remedy);
    }
}

NetworkDescription network_of(const YamlField& root, GigaByte gigabyte, const UnknownKeys& unknown,
                              const NetworkChanges& changes) {
    NetworkDescription network;
    std::optional<StandaloneNetwork> own;
    std::vector<std::string> known{"topology", "npus_count", "bandwidth",
                                   "latency",  "reduces",    "link_names"};
    const std::optional<StandaloneSection> own_section = standalone_section(root);
    if (own_section) {
        known = {"topology"};
    }
    known.insert(known.end(), standalone_network_names().begin(), standalone_network_names().end());
    known.insert(known.end(), {"placement", "packet", "faults"});
    check_keys(root, known, unknown);
    if (own_section) {
        own = read_standalone_network(*own_section, gigabyte, unknown);
        network = std::move(own->network);
    } else {
        network = read_product(root, gigabyte, unknown);
    }
    network.file = root.file();
    if (!changes.placement.empty()) {
        network.npu_of_rank = placement_of_text(changes.placement, changes.placement_from,
                                                network.dimensions, network.graph.npus());
    } else if (const auto placement = root.find("placement")) {
        network.npu_of_rank = read_placement(*placement, network.dimensions, network.graph.npus());
    }
    // Links that go down ask for a virtual channel more.
    if (const auto faults = root.find("faults")) {
        read_faults_section(*faults, unknown, network);
    }
    network.packet.seed = changes.seed.value_or(network.packet.seed);
    if (const auto packet = root.find("packet")) {
        read_packet_section(*packet, unknown, own ? &own->routing : nullptr, gigabyte, changes.seed,
                            network);
    } else if (own) {
        Routes routes = own->routing.make(own->routing.offered.front(), network.packet.seed,
                                          own_section->parameters, network.graph);
        network.router = std::move(routes.router);
        network.planes = std::move(routes.planes);
    }
    // Parts of a message on several planes would have relays of their own.
    if (network.scale_up) {
        network.planes = nullptr;
    }
    if (network.planes && !network.multipath && may_overtake(network.packet)) {
        network.multipath = std::make_shared<PlaneNextHops>(network.planes, network.faults);
    }
    if (unknown.warnings != nullptr && network.router && !network.router->note().empty()) {
        unknown.warnings->push_back(fmt::format("{}: {}", root.file(), network.router->note()));
    }
    if (!network.scale_up) {
        check_packets(root, unknown, network);
        return network;
    }
    for (const NetworkDescription& part : parts_of(network)) {
        check_packets(root, unknown, part);
    }
    return network;
}

}  // namespace

NetworkDescription read_network(const std::string& path, GigaByte gigabyte, bool tolerant,
                                std::vector<std::string>* warnings, const NetworkChanges& changes) {
    const UnknownKeys unknown{tolerant, warnings};
    if (names_machine(path)) {
        const ReadyMachine machine = read_machine(path, "--network");
        return network_of(YamlField::parse(path, machine.network, beginning), gigabyte, unknown,
                          changes);
    }
    if (is_physical_file(path)) {
        return network_of(YamlField::parse(path, custom_text(path), beginning), gigabyte, unknown,
                          changes);
    }
    const YamlField root = YamlField::load(path, "a network description", beginning);
    if (is_infragraph(root)) {
        return network_of(YamlField::parse(path, custom_text(path), beginning), gigabyte, unknown,
                          changes);
    }
    return network_of(root, gigabyte, unknown, changes);
}

NetworkDescription parse_network(const std::string& text, const std::string& name,
                                 std::vector<std::string>* warnings) {
    return network_of(YamlField::parse(name, text, beginning), GigaByte::Decimal, {false, warnings},
                      {});
}

}  // namespace npunet::topology

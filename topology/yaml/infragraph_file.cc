#include "topology/yaml/infragraph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/suggest.h"
#include "topology/yaml/infragraph_devices.h"
#include "topology/yaml/link_fields.h"

namespace npunet::topology {

namespace {

constexpr Time latency_in_device = Time::ns(500);
constexpr Time latency_between_instances = Time::ns(1000);

/// A unit of the schema, and the same in a network.yml.
struct Unit {
    const char* key;
    const char* suffix;
};
constexpr Unit rate_units[] = {{"gigabits_per_second", "Gbps"}, {"gigabytes_per_second", "GB/s"}};
constexpr Unit time_units[] = {{"ms", "ms"}, {"us", "us"}, {"ns", "ns"}};

/// `{choice: ms, ms: 5}` or `{ms: 5}` as "5ms"; nothing for an empty map.
template <std::size_t N>
std::optional<YamlField> with_suffix(const YamlField& map, const Unit (&units)[N],
                                     const char* expected) {
    const auto choice = map.find("choice");
    std::optional<YamlField> value;
    for (const Unit& unit : units) {
        const auto field = map.find(unit.key);
        if (!field || (choice && choice->text("a unit") != unit.key)) {
            continue;
        }
        if (value) {
            field->refuse("a second unit", "one unit", "Remove one of them");
        }
        if (!field->number()) {
            field->refuse(field->found(), expected);
        }
        value =
            YamlField::of_text(field->file(), field->place(), field->text(expected) + unit.suffix);
    }
    if (choice && !value) {
        choice->refuse(choice->found(), fmt::format("{}, with the key of that name", expected));
    }
    return value;
}

class SpeedsOfLinks {
public:
    explicit SpeedsOfLinks(const UnknownKeys& unknown) : unknown_(unknown) {}

    /// Before of(), for each edge that routes use.
    void add(const InfraEdge& edge) {
        if (speeds_.count(edge.link) == 0) {
            speeds_.emplace(edge.link, read(edge));
        }
    }
    /// Refuses the first of the links without a bandwidth, and names the others.
    void check() const {
        if (lacking_.empty()) {
            return;
        }
        std::string others;
        for (std::size_t i = 1; i < lacking_.size(); ++i) {
            const YamlField& link = lacking_[i].link->field;
            others += fmt::format("{}'{}' ({})", i == 1 ? "; the same to " : ", ",
                                  infra_name_at(link), link.line());
        }
        const YamlField& link = lacking_.front().link->field;
        link.refuse(
            fmt::format("the link '{}' without a bandwidth, which the edge at {} has",
                        infra_name_at(link), lacking_.front().place),
            "a bandwidth for each link that routes between NPUs use",
            "Add physical: {bandwidth: {gigabytes_per_second: 64}}, each direction's" + others);
    }
    [[nodiscard]] LinkSpeed of(const InfraEdge& edge) const { return speeds_.at(edge.link); }

    /// How many of them had no latency.
    [[nodiscard]] std::size_t without_latency() const { return without_latency_; }

private:
    LinkSpeed read(const InfraEdge& edge) {
        const auto physical = edge.link->field.find("physical");
        if (physical) {
            check_keys(*physical, {"bandwidth", "latency"}, unknown_);
        }
        const auto bandwidth = physical ? physical->find("bandwidth") : std::nullopt;
        const auto rate = bandwidth ? rate_at(*bandwidth) : std::nullopt;
        if (!rate) {
            lacking_.push_back(edge);
            return {};
        }
        const auto latency = physical->find("latency");
        if (latency) {
            check_keys(*latency, {"choice", "ms", "us", "ns"}, unknown_);
        }
        const auto time =
            latency ? with_suffix(*latency, time_units, "a number of ms, us or ns") : std::nullopt;
        without_latency_ += time ? 0 : 1;
        return {bandwidth_at(*rate, GigaByte::Decimal).rate, time ? latency_at(*time).time
                                                             : edge.link->in_device
                                                                 ? latency_in_device
                                                                 : latency_between_instances};
    }

    [[nodiscard]] std::optional<YamlField> rate_at(const YamlField& bandwidth) const {
        check_keys(
            bandwidth,
            {"choice", "gigabits_per_second", "gigabytes_per_second", "gigatransfers_per_second"},
            unknown_);
        const auto transfers = bandwidth.find("gigatransfers_per_second");
        const bool others =
            bandwidth.find("gigabits_per_second") || bandwidth.find("gigabytes_per_second");
        if (transfers && !others) {
            transfers->refuse("gigatransfers_per_second, which say nothing of lanes and bytes",
                              "gigabits_per_second or gigabytes_per_second",
                              "For example, 16 lanes of PCIe 5.0 have gigabytes_per_second: 63");
        }
        return with_suffix(bandwidth, rate_units,
                           "a number of gigabits_per_second or gigabytes_per_second");
    }

    UnknownKeys unknown_;
    std::map<const InfraLink*, LinkSpeed> speeds_;
    std::vector<InfraEdge> lacking_;
    std::size_t without_latency_ = 0;
};

using Neighbours = std::vector<std::vector<std::size_t>>;

Neighbours neighbours_of(std::size_t nodes, const std::vector<InfraEdge>& edges) {
    Neighbours neighbours(nodes);
    for (const InfraEdge& edge : edges) {
        neighbours[edge.from].push_back(edge.to);
        neighbours[edge.to].push_back(edge.from);
    }
    return neighbours;
}

/// The nodes that a node reaches.
std::vector<bool> reached_from(std::size_t node, const Neighbours& neighbours) {
    std::vector<bool> reached(neighbours.size(), false);
    std::vector<std::size_t> open{node};
    reached[node] = true;
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (const std::size_t other : neighbours[open[i]]) {
            if (!reached[other]) {
                reached[other] = true;
                open.push_back(other);
            }
        }
    }
    return reached;
}

/// Leaves out dead ends, one after the other: nodes with one neighbour or none that are no NPUs.
void leave_out_dead_ends(const std::vector<InfraNode>& nodes, const Neighbours& neighbours,
                         std::vector<bool>& used) {
    std::vector<std::size_t> degree(nodes.size());
    std::vector<std::size_t> ends;
    const auto is_end = [&](std::size_t i) { return used[i] && !nodes[i].is_npu && degree[i] < 2; };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        degree[i] = neighbours[i].size();
        if (is_end(i)) {
            ends.push_back(i);
        }
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
        used[ends[i]] = false;
        for (const std::size_t other : neighbours[ends[i]]) {
            if (--degree[other] == 1 && is_end(other)) {
                ends.push_back(other);
            }
        }
    }
}

struct Instances {
    YamlField field;
    std::size_t device = 0;
    std::int64_t count = 0;
    std::size_t base = 0;  ///< the first node
};

class InfraReader {
public:
    InfraReader(const YamlField& infrastructure, const UnknownKeys& unknown)
        : infrastructure_(infrastructure),
          unknown_(unknown),
          devices_(infrastructure, unknown),
          links_(infra_links_at(infrastructure, false, unknown)) {}

    PhysicalFile read() {
        for (const YamlField& field : infra_entries(infrastructure_, "instances")) {
            read_instances(field);
        }
        for (const YamlField& edge : infra_entries(infrastructure_, "edges")) {
            check_keys(edge, {"ep1", "ep2", "scheme", "link"}, unknown_);
            const InfraEndpoint from = endpoint(edge.at("ep1"));
            const InfraEndpoint to = endpoint(edge.at("ep2"));
            add_infra_edges(edge, from, to, links_, edges_);
        }
        return physical();
    }

private:
    void read_instances(const YamlField& field) {
        check_keys(field, {"name", "description", "device", "count"}, unknown_);
        const std::string name = infra_name_at(field);
        Instances instances{field, devices_.named(field.at("device")), 0, nodes_.size()};
        const YamlField count = field.at("count");
        instances.count =
            count.whole(0, static_cast<std::int64_t>(most_infra_nodes), "a number of instances");
        const InfraDevice& device = devices_.device(instances.device);
        if (device.nodes * static_cast<std::size_t>(instances.count) + nodes_.size() >
            most_infra_nodes) {
            count.refuse(fmt::format("more than {} components", most_infra_nodes),
                         fmt::format("at most {}", most_infra_nodes), "Check the counts");
        }
        if (!instances_.emplace(name, instances).second) {
            field.refuse(fmt::format("the instance '{}' a second time", name), "each instance once",
                         "Rename it, or increase the count of the first");
        }
        for (std::int64_t i = 0; device.nodes > 0 && i < instances.count; ++i) {
            const std::size_t base = nodes_.size();
            devices_.list_nodes(instances.device, fmt::format("{}.{}.", name, i), nodes_);
            for (const InfraEdge& edge : device.edges.all()) {
                edges_.add(edge, base, field);
            }
        }
    }

    [[nodiscard]] InfraEndpoint endpoint(const YamlField& field) const {
        check_keys(field, {"instance", "component"}, unknown_);
        const YamlField instance = field.at("instance");
        const std::string& text = instance.text("an instance and its indices");
        const auto found = instances_.find(infra_slice_name(text));
        if (found == instances_.end()) {
            std::vector<std::string> names;
            for (const auto& entry : instances_) {
                names.push_back(entry.first);
            }
            instance.refuse(fmt::format("the unknown instance {}", instance.found()),
                            "the name of an instance", did_you_mean(infra_slice_name(text), names));
        }
        const Instances& all = found->second;
        const InfraSlice slice = infra_slice(text, all.count, instance);
        const YamlField component = field.at("component");
        const InfraEndpoint inner =
            devices_.endpoint(all.device, component.text("a component and its indices"), component);
        InfraEndpoint end;
        end.is_whole = inner.is_whole && (slice.is_whole || slice.indices.size() == 1);
        const std::size_t unit = devices_.device(all.device).nodes;
        for (const std::int64_t index : slice.indices) {
            for (const std::size_t node : inner.nodes) {
                end.nodes.push_back(all.base + static_cast<std::size_t>(index) * unit + node);
            }
        }
        return end;
    }

    /// Those that a route between NPUs may use.
    [[nodiscard]] std::vector<bool> used_nodes() const {
        const auto is_npu = [](const InfraNode& node) { return node.is_npu; };
        const auto first = std::find_if(nodes_.begin(), nodes_.end(), is_npu);
        if (first == nodes_.end()) {
            infrastructure_.refuse("no NPU in all instances",
                                   "instances of a device with a component of the choice xpu",
                                   "Add {name: xpu, count: 8, choice: xpu} to the components of a "
                                   "device, and an instance of it");
        }
        const Neighbours neighbours = neighbours_of(nodes_.size(), edges_.all());
        std::vector<bool> used =
            reached_from(static_cast<std::size_t>(first - nodes_.begin()), neighbours);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].is_npu && !used[i]) {
                infrastructure_.find("edges")
                    .value_or(infrastructure_)
                    .refuse(fmt::format("no route from {} to {}", first->name, nodes_[i].name),
                            "edges by which every NPU reaches every other one",
                            "Look for a missing edge");
            }
        }
        leave_out_dead_ends(nodes_, neighbours, used);
        return used;
    }

    [[nodiscard]] PhysicalFile physical() const {
        const std::vector<bool> used = used_nodes();
        PhysicalFile file;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (used[i]) {
                (nodes_[i].is_npu ? file.npus : file.switches).push_back(nodes_[i].name);
            }
        }
        std::vector<InfraEdge> edges;
        SpeedsOfLinks speeds(unknown_);
        for (const InfraEdge& edge : edges_.all()) {
            if (used[edge.from] && used[edge.to]) {
                edges.push_back(edge);
                speeds.add(edge);
            }
        }
        speeds.check();
        for (const InfraEdge& edge : edges) {
            file.links.push_back(
                {edge.place, nodes_[edge.from].name, nodes_[edge.to].name, speeds.of(edge)});
        }
        const std::size_t left_out = nodes_.size() - file.npus.size() - file.switches.size();
        if (left_out > 0) {
            warn(fmt::format("{} of {} components are left out, as no route between NPUs uses them",
                             left_out, nodes_.size()));
        }
        if (speeds.without_latency() > 0) {
            warn(fmt::format("{} links without latency: 500 ns in a device, 1 us between instances",
                             speeds.without_latency()));
        }
        return file;
    }

    void warn(const std::string& text) const {
        if (unknown_.warnings != nullptr) {
            unknown_.warnings->push_back(fmt::format("{}: {}", infrastructure_.file(), text));
        }
    }

    YamlField infrastructure_;
    UnknownKeys unknown_;
    InfraDevices devices_;
    std::map<std::string, InfraLink> links_;
    std::map<std::string, Instances> instances_;
    std::vector<InfraNode> nodes_;
    InfraEdges edges_;
};

constexpr const char* beginnings[] = {"infrastructure", "devices", "instances"};

}  // namespace

bool is_infragraph(const YamlField& root) {
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](const char* key) { return root.find(key).has_value(); });
}

std::optional<YamlField> infragraph_of_text(const std::string& file, const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool is_json = first != std::string::npos && text[first] == '{';
    // A line of a file of links never begins like this.
    const auto has_line = [&](const char* key) {
        const std::string line = std::string(key) + ":";
        return text.compare(0, line.size(), line) == 0 ||
               text.find("\n" + line) != std::string::npos;
    };
    if (!is_json && std::none_of(std::begin(beginnings), std::end(beginnings), has_line)) {
        return std::nullopt;
    }
    const YamlField root = YamlField::parse(file, text, "devices:");
    return is_infragraph(root) ? std::optional(root) : std::nullopt;
}

PhysicalFile read_infragraph(const YamlField& root, const UnknownKeys& unknown) {
    const YamlField placed = root.with_columns();
    const auto below = placed.find("infrastructure");
    if (below) {
        check_keys(placed, {"infrastructure", "annotations"}, unknown);
    }
    const YamlField& infrastructure = below ? *below : placed;
    refuse_old_infra_key(infrastructure, "connections", "edges");
    check_keys(infrastructure, {"name", "description", "devices", "links", "instances", "edges"},
               unknown);
    return InfraReader(infrastructure, unknown).read();
}

}  // namespace npunet::topology

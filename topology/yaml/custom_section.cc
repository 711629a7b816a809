#include "topology/yaml/network_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/input_text.h"
#include "base/suggest.h"
#include "topology/builders/builder.h"
#include "topology/network/find_tiers.h"
#include "topology/routing/automatic_router.h"
#include "topology/routing/graph_router.h"
#include "topology/yaml/infragraph_file.h"
#include "topology/yaml/link_fields.h"
#include "topology/yaml/physical_file.h"

namespace npunet::topology {

namespace {

constexpr std::int64_t most_custom_npus = 8192;
constexpr std::size_t most_custom_nodes = 65534;
constexpr std::int64_t most_parallel = 65536;

/// Whether a line of a file of links that begins with this word names nodes.
bool names_nodes(const std::string& word) {
    return word == "npu" || word == "switch";
}

/// Gathers nodes and links, then makes the graph: NPUs come first in it.
class CustomGraph {
public:
    /// `lines`: the links come from a file, whose lines begin with a word for nodes or the name of
    /// one.
    explicit CustomGraph(bool lines) : lines_(lines) {}

    void let_reduce(const std::string& name, const ReducingSwitch& limits) {
        reducing_.emplace(name, limits);
    }

    void add_node(const YamlField& name, bool is_npu) {
        const std::string& text = name.text("the name of a node");
        const bool blank = text.find_first_of(" \t\r\n#") != std::string::npos;
        if (text.empty() || blank || name.number()) {
            name.refuse(name.found(), "a name without blanks and '#' that is no number",
                        "For example: npu0");
        }
        if (lines_ && names_nodes(text)) {
            name.refuse(fmt::format("'{}'", text), "another name for a node with a file of links",
                        "A line that begins with it names nodes; write " + text + "0, for example");
        }
        const std::size_t number = is_npu ? npus_.size() : switches_.size();
        if (!nodes_.try_emplace(text, Place{is_npu, number}).second) {
            name.refuse(fmt::format("'{}' a second time", text), "a name of its own for each node");
        }
        (is_npu ? npus_ : switches_).push_back(text);
        if (nodes_.size() > most_custom_nodes) {
            name.refuse(fmt::format("more than {} nodes", most_custom_nodes),
                        fmt::format("at most {}", most_custom_nodes));
        }
    }

    void add_link(const YamlField& from, const YamlField& to, const LinkSpeed& speed,
                  std::int64_t count, bool both) {
        const Ends ends{place_of(from), place_of(to)};
        if (from.text("") == to.text("")) {
            to.refuse(to.found(), "another node than from");
        }
        links_ += count * (both ? 2 : 1);
        if (links_ > most_links) {
            from.refuse(fmt::format("{} links", links_), fmt::format("at most {}", most_links));
        }
        cables_.push_back({ends, speed, count, both});
    }

    [[nodiscard]] NetworkDescription make(const YamlField& section) const {
        const auto npus = static_cast<std::int64_t>(npus_.size());
        if (npus < 1 || npus > most_custom_npus) {
            section.refuse(fmt::format("{} nodes of the kind npu", npus),
                           fmt::format("1 to {}", most_custom_npus));
        }
        NetworkDescription network;
        network.name = "Custom";
        network.graph.reserve(nodes_.size(), static_cast<std::size_t>(links_));
        for (const std::string& name : npus_) {
            network.graph.add_node(NodeKind::Npu, name);
        }
        for (const std::string& name : switches_) {
            network.graph.add_node(NodeKind::Switch, name);
        }
        for (const Cable& cable : cables_) {
            for (std::int64_t i = 0; i < cable.count; ++i) {
                const NodeId from = node_at(cable.ends.from);
                const NodeId to = node_at(cable.ends.to);
                network.graph.add_link({from, to, cable.speed.rate, cable.speed.latency});
                if (cable.both) {
                    network.graph.add_link({to, from, cable.speed.rate, cable.speed.latency});
                }
            }
        }
        network.npu_of_rank = linear_placement(npus_.size());
        for (std::size_t i = 0; i < switches_.size(); ++i) {
            if (const auto limits = reducing_.find(switches_[i]); limits != reducing_.end()) {
                network.reducing_switches.push_back(limits->second);
                network.reducing_switches.back().node = NodeId(npus_.size() + i);
            }
        }
        return network;
    }

private:
    struct Place {
        bool is_npu;
        std::size_t number;
    };
    struct Ends {
        Place from;
        Place to;
    };
    struct Cable {
        Ends ends;
        LinkSpeed speed;
        std::int64_t count;
        bool both;
    };

    [[nodiscard]] Place place_of(const YamlField& name) const {
        const auto found = nodes_.find(name.text("the name of a node"));
        if (found == nodes_.end()) {
            std::vector<std::string> names = npus_;
            names.insert(names.end(), switches_.begin(), switches_.end());
            name.refuse(fmt::format("the unknown node {}", name.found()), "the name of a node",
                        did_you_mean(name.text(""), names));
        }
        return found->second;
    }
    [[nodiscard]] NodeId node_at(Place place) const {
        return NodeId(place.is_npu ? place.number : npus_.size() + place.number);
    }

    bool lines_;
    std::map<std::string, Place> nodes_;
    std::vector<std::string> npus_;
    std::vector<std::string> switches_;
    std::vector<Cable> cables_;
    std::int64_t links_ = 0;
    std::map<std::string, ReducingSwitch> reducing_;  ///< by name
};

std::int64_t count_at(const YamlField& field) {
    return field.whole(1, most_parallel, "a number of parallel links");
}

void read_nodes(const YamlField& nodes, const UnknownKeys& unknown, CustomGraph& graph) {
    for (const YamlField& node : nodes.items()) {
        check_keys(node, {"name", "kind", "reduces"}, unknown);
        const bool is_npu = one_of(node.at("kind"), {"npu", "switch"}) == "npu";
        graph.add_node(node.at("name"), is_npu);
        const auto reduces = node.find("reduces");
        const auto limits = reduces ? reduces_at(*reduces, unknown) : std::nullopt;
        if (limits && is_npu) {
            reduces->refuse("reduces of an NPU", "a switch", "Remove it, or write kind: switch");
        }
        if (limits) {
            graph.let_reduce(node.at("name").text("the name of a node"), *limits);
        }
    }
}

void read_links(const YamlField& links, GigaByte gigabyte, const UnknownKeys& unknown,
                CustomGraph& graph) {
    for (const YamlField& link : links.items()) {
        check_keys(link, {"from", "to", "bandwidth", "latency", "count", "both"}, unknown);
        const auto count = link.find("count");
        const auto both = link.find("both");
        graph.add_link(link.at("from"), link.at("to"),
                       {bandwidth_at(link.at("bandwidth"), gigabyte).rate,
                        latency_at(link.at("latency")).time},
                       count ? count_at(*count) : 1,
                       !both || one_of(*both, {"true", "false"}) == "true");
    }
}

/// One line of a file of links, its words with their places.
void read_line(const std::string& file, std::size_t number, const std::string& line,
               GigaByte gigabyte, CustomGraph& graph) {
    static const char* const places[] = {"FROM",    "TO",    "BANDWIDTH",
                                         "LATENCY", "COUNT", "both or forward"};
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    if (words.empty()) {
        return;
    }
    const auto place = [&](const std::string& what) {
        return fmt::format("line {}{}", number, what);
    };
    if (names_nodes(words.front())) {
        for (std::size_t i = 1; i < words.size(); ++i) {
            graph.add_node(YamlField::of_text(file, place(""), words[i]), words.front() == "npu");
        }
        return;
    }
    if (words.size() < 4 || words.size() > 6) {
        throw InputError({file, place(""), fmt::format("{} words", words.size()),
                          "npu NAME ..., switch NAME ..., or FROM TO BANDWIDTH LATENCY [COUNT] "
                          "[both|forward]",
                          "For example: gpu0 tor 50 500"});
    }
    const auto field = [&](std::size_t i) {
        return YamlField::of_text(file, place(fmt::format(", {}", places[i])), words[i]);
    };
    std::int64_t count = 1;
    bool both = true;
    if (words.size() > 4) {
        const bool direction = words.back() == "both" || words.back() == "forward";
        both = words.back() != "forward";
        if (words.size() == 6 || !direction) {
            count = count_at(field(4));
        }
        if (words.size() == 6) {
            static_cast<void>(one_of(field(5), {"both", "forward"}));
        }
    }
    graph.add_link(field(0), field(1),
                   {bandwidth_at(field(2), gigabyte).rate, latency_at(field(3)).time}, count, both);
}

std::filesystem::path path_of(const YamlField& name, const std::string& expected) {
    const std::filesystem::path path =
        std::filesystem::path(name.file()).parent_path() / name.text("the name of a file");
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored) || std::filesystem::is_directory(path, ignored)) {
        name.refuse(name.found(), expected, "Check the path");
    }
    return path;
}

void add_physical(const PhysicalFile& physical, const std::string& file, CustomGraph& graph) {
    const auto field = [&](const std::string& place, const std::string& name) {
        return YamlField::of_text(file, place, name);
    };
    for (const std::string& npu : physical.npus) {
        graph.add_node(field("line 1", npu), true);
    }
    for (const std::string& name : physical.switches) {
        graph.add_node(field("line 2", name), false);
    }
    for (const PhysicalLink& link : physical.links) {
        graph.add_link(field(link.place, link.from), field(link.place, link.to), link.speed, 1,
                       true);
    }
}

void read_file(const YamlField& name, GigaByte gigabyte, const UnknownKeys& unknown,
               CustomGraph& graph) {
    const std::string expected = "a file with one line a link";
    const std::filesystem::path path = path_of(name, expected);
    const std::string text = read_input_text(path, expected, "Check the path");
    if (is_physical_text(text)) {
        add_physical(read_physical_text(path.string(), text), path.string(), graph);
        return;
    }
    if (const auto root = infragraph_of_text(path.string(), text)) {
        add_physical(read_infragraph(*root, unknown), path.string(), graph);
        return;
    }
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        read_line(path.string(), ++number, text.substr(begin, end - begin), gigabyte, graph);
        begin = end + 1;
    }
}

/// The nodes that a breadth-first search from NPU 0 meets, along the links or against them.
std::vector<bool> met_from_first(const Graph& graph, bool forward) {
    std::vector<bool> met(graph.nodes(), false);
    std::vector<NodeId> open{NodeId(0)};
    met[0] = true;
    for (std::size_t i = 0; i < open.size(); ++i) {
        const NodeId at = open[i];
        for (const LinkId id : forward ? graph.links_from(at) : graph.links_to(at)) {
            const NodeId other = forward ? graph.link(id).to : graph.link(id).from;
            if (!met[other.index()]) {
                met[other.index()] = true;
                open.push_back(other);
            }
        }
    }
    return met;
}

/// All NPUs reach each other when NPU 0 reaches all and all reach NPU 0.
void check_reach(const YamlField& section, const Graph& graph) {
    for (const bool forward : {true, false}) {
        const std::vector<bool> met = met_from_first(graph, forward);
        for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
            if (!met[npu]) {
                const std::string& first = graph.name(NodeId(0));
                const std::string& other = graph.name(NodeId(npu));
                section.refuse(fmt::format("no route from {} to {}", forward ? first : other,
                                           forward ? other : first),
                               "links by which every NPU reaches every other one",
                               "Look for a missing link, or both: false");
            }
        }
    }
}

/// Null where no pair of NPUs has planes.
std::shared_ptr<const Planes> planes_of(const Graph& graph,
                                        const std::shared_ptr<const GraphRouter>& router,
                                        bool all_switches) {
    auto planes = std::make_shared<const Planes>(router, all_switches);
    return planes->any(graph) ? planes : nullptr;
}

/// What helps where a routing cannot do with the virtual channels that there are.
std::string other_routing(const Graph& graph) {
    if (GraphRouter(graph, GraphRoutes::UpDown, 0).reaches_all(graph)) {
        return "Use up-down";
    }
    return automatic_router(graph, 0) ? "Use auto" : "Let more links lead in both directions";
}

[[noreturn]] void refuse_layers(const std::string& word, const YamlField& field,
                                const Graph& graph) {
    field.refuse(fmt::format("'{}', which needs layers of virtual channels here", word),
                 fmt::format("at most {} layers, and {} NPUs", most_layers, most_layered_npus),
                 other_routing(graph));
}

/// The default: any routing that is free of deadlock on `most` virtual channels, and planes.
Routes make_automatic_routes(std::uint8_t most, std::uint64_t seed, const YamlField& field,
                             const Graph& graph) {
    const std::shared_ptr<const GraphRouter> router = automatic_router(graph, seed, most);
    if (!router) {
        field.refuse(
            fmt::format("'auto' where up-down does not reach all NPUs, balanced takes more "
                        "than {} virtual channels and shortest-path more than {} layers",
                        most_layers, most_layers),
            fmt::format("a network on which one of them is free of deadlock, layers on at "
                        "most {} NPUs",
                        most_layered_npus),
            "Let more links lead in both directions");
    }
    Routes routes{router, nullptr, planes_of(graph, router, true)};
    // Routes in turn may be free of deadlock where all shortest paths together are not.
    if (routes.planes &&
        (router->is_up_down() || router->virtual_channels_needed() > 1 ||
         !GraphRouter(graph, GraphRoutes::Ecmp, seed).look_for_cycle(graph).is_free())) {
        routes.planes = planes_of(graph, router, false);
    }
    return routes;
}

/// Shortest paths that take links in turn, one for each pair.
Routes make_balanced_routes(std::uint64_t seed, const YamlField& field, const Graph& graph) {
    auto router = std::make_shared<GraphRouter>(graph, GraphRoutes::Balanced, seed);
    if (!router->is_free_of_deadlock(graph, most_layers)) {
        field.refuse(
            fmt::format("'balanced', which needs more than {} virtual channels here", most_layers),
            fmt::format("at most {}", most_layers), other_routing(graph));
    }
    return {router};
}

Routes make_routes(const std::string& word, std::uint64_t seed, const YamlField& field,
                   const Graph& graph) {
    if (word == "auto") {
        return make_automatic_routes(usual_channels, seed, field, graph);
    }
    if (word == "balanced") {
        return make_balanced_routes(seed, field, graph);
    }
    const auto spread = spread_named(word);
    const GraphRoutes kind = word == "up-down"          ? GraphRoutes::UpDown
                             : word == "ecmp" || spread ? GraphRoutes::Ecmp
                                                        : GraphRoutes::ShortestPath;
    auto router = std::make_shared<GraphRouter>(graph, kind, seed);
    if (kind == GraphRoutes::UpDown) {
        if (!router->reaches_all(graph)) {
            field.refuse("'up-down', which does not reach all NPUs where links are unidirectional",
                         "a routing that does", "Use shortest-path");
        }
        return {router};
    }
    if (!router->find_cycle(graph).empty()) {
        if (!router->assign_layers(graph, most_layers)) {
            refuse_layers(word, field, graph);
        }
        router->set_note(fmt::format(
            "routes of {} would wait for each other in a cycle on one virtual channel; {} layers "
            "are assigned",
            word, router->virtual_channels_needed()));
    }
    Routes routes{router};
    if (spread) {
        routes.multipath = std::make_shared<GraphNextHops>(router, *spread);
        routes.planes = planes_of(graph, router, true);
    }
    return routes;
}

}  // namespace

StandaloneNetwork read_custom(const YamlField& section, GigaByte gigabyte,
                              const UnknownKeys& unknown) {
    check_keys(section, {"nodes", "links", "file", "tiers", "logical"}, unknown);
    const auto file = section.find("file");
    CustomGraph graph(file.has_value());
    if (!file || section.find("nodes")) {
        read_nodes(section.at("nodes"), unknown, graph);
    }
    if (file) {
        if (const auto links = section.find("links")) {
            links->refuse("links in addition to file", "one of the two");
        }
        read_file(*file, gigabyte, unknown, graph);
    } else {
        read_links(section.at("links"), gigabyte, unknown, graph);
    }
    StandaloneNetwork own;
    own.network = graph.make(section);
    check_reach(section, own.network.graph);
    const auto tiers = section.find("tiers");
    const auto logical = section.find("logical");
    if (tiers && logical) {
        logical->refuse("logical in addition to tiers", "one of the two", "Remove one of them");
    }
    own.network.tiers = tiers     ? read_tiers(*tiers, unknown, own.network.graph)
                        : logical ? read_logical(*logical, own.network.graph)
                                  : find_tiers(own.network.graph);
    own.routing.offered = {"auto", "balanced", "shortest-path", "up-down",
                           "ecmp", "spray",    "adaptive"};
    own.routing.make = make_routes;
    own.routing.make_within = make_automatic_routes;
    return own;
}

}  // namespace npunet::topology

#include "cli/command/commands.h"
#include "cli/command/figure_file.h"
#include "cli/command/messages.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/printable.h"
#include "base/units.h"
#include "report/figures/network_figure.h"
#include "topology/graph/bisection.h"
#include "topology/network/network_description.h"
#include "topology/yaml/network_reader.h"

namespace npunet::cli {

namespace {

using topology::NetworkDescription;
using topology::NodeKind;

struct TopologyOptions {
    std::string file;
    std::vector<std::string> route;  ///< empty, or two NPU numbers
    bool json = false;
    std::string drawing;  ///< a file; empty: none
};

/// For people: "50 GB/s", "128.5714 GB/s"; the shortest decimal that is exact in double.
std::string format_gbps(double bytes_per_second) {
    return fmt::format("{} GB/s", bytes_per_second / 1e9);
}

NodeId npu_named(const std::string& text, const NetworkDescription& network) {
    std::int32_t number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0 ||
        static_cast<std::size_t>(number) >= network.graph.npus()) {
        throw InputError({"--route", "", fmt::format("'{}'", text),
                          fmt::format("the number of an NPU, 0 to {}", network.graph.npus() - 1),
                          "Give two of them: --route 0 1"});
    }
    return NodeId(number);
}

/// The route that was asked for; no nodes when none was.
struct Route {
    std::vector<NodeId> nodes;  ///< ends included
    std::vector<LinkId> links;
};

Route route_of(const TopologyOptions& options, const NetworkDescription& network) {
    if (options.route.empty()) {
        return {};
    }
    const NodeId from = npu_named(options.route[0], network);
    const NodeId to = npu_named(options.route[1], network);
    Route route{{from}, {}};
    for (const topology::Hop& hop : network.route(from, to)) {
        route.links.push_back(hop.link);
        route.nodes.push_back(network.graph.link(hop.link).to);
    }
    return route;
}

/// "1 -> 2 -> 3 -> 7": NPUs by number, switches by name.
void print_route(const std::vector<NodeId>& nodes, const NetworkDescription& network,
                 std::ostream& out) {
    std::string text;
    for (const NodeId node : nodes) {
        text += text.empty() ? "" : " -> ";
        text += network.graph.kind(node) == NodeKind::Npu ? std::to_string(node.value())
                                                          : network.graph.name(node);
    }
    out << printable(text) << '\n';
}

topology::Bisection bisection_of(const NetworkDescription& network) {
    return network.dimensions.empty() ? topology::middle_cut_of(network.graph)
                                      : topology::bisection_of(network.dimensions);
}

void print_summary(const NetworkDescription& network, std::ostream& out) {
    const auto line = [&](const char* what, const std::string& value) {
        out << fmt::format("{:<12}{}\n", what, printable(value));
    };
    const topology::Graph& graph = network.graph;
    line("Network", network.name);
    line("NPUs", std::to_string(graph.npus()));
    line("Switches", std::to_string(graph.nodes() - graph.npus()));
    line("Links", fmt::format("{} (each direction counts)", graph.links()));
    for (std::size_t i = 0; i < network.dimensions.size(); ++i) {
        const topology::Dimension& d = network.dimensions[i];
        line(i == 0 ? "Dimensions" : "",
             fmt::format("{}: {} of {}, {} and {} per link", i, topology::name_of(d.kind), d.size,
                         format_gbps(static_cast<double>(d.rate.bytes_per_second())),
                         format_time(d.latency)));
    }
    const topology::Bisection cut = bisection_of(network);
    line("Bisection", fmt::format("{} links, {} in each direction (middle cut)", cut.links,
                                  format_gbps(cut.bytes_per_second)));
    line("Routing",
         fmt::format("{}, {} virtual channel{}", network.routing_name(), network.virtual_channels(),
                     network.virtual_channels() == 1 ? "" : "s"));
    if (network.planes) {
        line("Note", "a message uses all equal planes between its NPUs; --route shows one route");
    } else if (network.multipath) {
        line("Note",
             "packets choose among several paths; --route and the other fidelities show one of "
             "them");
    }
    if (network.router && !network.router->note().empty()) {
        line("Note", network.router->note());
    }
}

/// Written item by item: the document of a large network would not fit into memory as a whole.
void print_json(const std::vector<NodeId>& route, const NetworkDescription& network,
                std::ostream& out) {
    using Json = nlohmann::ordered_json;
    const topology::Graph& graph = network.graph;
    const char* separator = "";
    out << "{\"nodes\": [";
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
        const NodeId node(i);
        const char* kind = graph.kind(node) == NodeKind::Npu ? "npu" : "switch";
        out << separator << Json{{"name", graph.name(node)}, {"kind", kind}};
        separator = ",\n  ";
    }
    out << "],\n \"links\": [";
    separator = "";
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const topology::Link& link = graph.link(LinkId(i));
        out << separator
            << Json{{"from", graph.name(link.from)},
                    {"to", graph.name(link.to)},
                    {"bandwidth_GBps", static_cast<double>(link.rate.bytes_per_second()) / 1e9},
                    {"latency_ns", static_cast<double>(link.latency.ps()) / 1e3}};
        separator = ",\n  ";
    }
    const topology::Bisection cut = bisection_of(network);
    out << "],\n \"bisection\": "
        << Json{{"links", cut.links}, {"bandwidth_GBps", cut.bytes_per_second / 1e9}};
    Json names = Json::array();
    for (const NodeId node : route) {
        names.push_back(graph.name(node));
    }
    out << ",\n \"route\": " << names << "}\n";
}

report::DrawnRoute drawn_route(const NetworkDescription& network, const Route& route) {
    if (route.nodes.empty()) {
        return {};
    }
    return {fmt::format("route from {} to {}", network.graph.name(route.nodes.front()),
                        network.graph.name(route.nodes.back())),
            route.links};
}

/// Throws InputError for a file that is no picture, and for networks of which none can be made.
void draw(const TopologyOptions& options, const NetworkDescription& network, const Route& route) {
    constexpr std::size_t most_links = 200'000;
    check_figure_file("--figure", options.drawing);
    if (network.graph.links() > most_links) {
        throw InputError({"--figure", "", fmt::format("{} links", network.graph.links()),
                          fmt::format("at most {}, of which a picture can be made", most_links),
                          "--json lists them"});
    }
    write_figure_file(options.drawing, report::draw_figure(report::network_sheet(
                                           network, drawn_route(network, route))));
}

void run(const TopologyOptions& options, CommandContext& context) {
    std::vector<std::string> warnings;
    const NetworkDescription network =
        topology::read_network(options.file, topology::GigaByte::Decimal, false, &warnings);
    for (const std::string& text : warnings) {
        log_warning(context.log, text);
    }
    const Route route = route_of(options, network);
    if (!options.drawing.empty()) {
        draw(options, network, route);
    }
    if (options.json) {
        print_json(route.nodes, network, context.out);
    } else if (!route.nodes.empty()) {
        print_route(route.nodes, network, context.out);
    } else {
        print_summary(network, context.out);
    }
}

}  // namespace

void add_topology_command(CLI::App& program, CommandContext& context) {
    const auto options = std::make_shared<TopologyOptions>();
    CLI::App* command = program.add_subcommand(
        "topology", "Show what a network consists of, and the route between two NPUs");
    command->add_option("NETWORK", options->file, "The network description, network.yml")
        ->required();
    command->add_option("--route", options->route, "Print the route between two NPUs, by number")
        ->expected(2)
        ->type_name("A B");
    command->add_flag("--json", options->json, "Print nodes, links and route as JSON");
    command->add_option("--figure,--draw", options->drawing,
                        "Draw the network, and the route, into this file (.svg or .png)");
    command->footer("Example:\n  npunet topology configs/networks/mesh-4x4.yml --route 1 7");
    command->callback([options, &context] { run(*options, context); });
}

}  // namespace npunet::cli

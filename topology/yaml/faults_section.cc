#include "topology/yaml/network_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "topology/yaml/link_fields.h"

namespace npunet::topology {

namespace {

constexpr double most_time_ns = 9e15;  // 104 days: the clock ends at 106
constexpr double most_bandwidth_factor = 1e3;
constexpr double least_slowdown = 1e-3;
constexpr double most_slowdown = 1e6;
constexpr std::size_t most_faults_of_a_link = 4096;

/// A plain number counts in ns.
Time time_at(const YamlField& field, double most_ns, const std::string& what) {
    const std::string expected =
        fmt::format("{}: a number of ns from 0 to {:g}, or a time such as 2ms", what, most_ns);
    const std::string& text = field.text(expected);
    if (const std::optional<double> number = field.number()) {
        if (*number < 0 || *number > most_ns) {
            field.refuse(field.found(), expected);
        }
        return Time::ps(std::llround(*number * 1000));
    }
    const Time time = parse_time(text, field.where());
    if (static_cast<double>(time.ps()) > most_ns * 1000) {
        field.refuse(field.found(), expected);
    }
    return time;
}

Factor factor_at(const YamlField& field, double least, double most, const std::string& expected) {
    const std::optional<double> number = field.number();
    if (!number || *number < least || *number > most) {
        field.refuse(field.found(), expected);
    }
    const Factor factor{std::llround(*number * static_cast<double>(Factor::one))};
    if (factor.billionths == 0 && *number > 0) {
        field.refuse(field.found(), "at least 1e-9", "0 is a link that is down");
    }
    return factor;
}

/// An NPU by its number, any node by its name.
NodeId node_at(const YamlField& field, const Graph& graph) {
    const std::string expected =
        fmt::format("an NPU, 0 to {}, or the name of a node, such as {}", graph.npus() - 1,
                    graph.name(NodeId(graph.nodes() - 1)));
    if (field.number()) {
        return NodeId(static_cast<std::size_t>(
            field.whole(0, static_cast<std::int64_t>(graph.npus()) - 1, expected)));
    }
    const std::string& name = field.text(expected);
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
        if (graph.name(NodeId(i)) == name) {
            return NodeId(i);
        }
    }
    field.refuse(field.found(), expected, "npunet topology FILE --json lists the nodes");
}

std::vector<LinkId> links_between(const Graph& graph, NodeId from, NodeId to) {
    std::vector<LinkId> links;
    for (const LinkId link : graph.links_from(from)) {
        if (graph.link(link).to == to) {
            links.push_back(link);
        }
    }
    return links;
}

/// The links that the fault is about: those of one direction, or of both.
std::vector<LinkId> links_of(const YamlField& entry, const Graph& graph) {
    const YamlField link = entry.at("link");
    const std::vector<YamlField> ends = link.items();
    if (!link.is_list() || ends.size() != 2) {
        link.refuse(link.found(), "the two nodes that the link joins, such as [3, 7]");
    }
    const NodeId from = node_at(ends[0], graph);
    const NodeId to = node_at(ends[1], graph);
    std::vector<LinkId> links = links_between(graph, from, to);
    if (links.empty()) {
        link.refuse(fmt::format("no link from {} to {}", graph.name(from), graph.name(to)),
                    "two neighbours", "npunet topology FILE --json lists the links");
    }
    const auto direction = entry.find("direction");
    if (!direction || one_of(*direction, {"both", "forward"}) == "both") {
        const std::vector<LinkId> back = links_between(graph, to, from);
        links.insert(links.end(), back.begin(), back.end());
    }
    return links;
}

/// By link: how many faults of it there are so far.
using FaultCounts = std::map<LinkId, std::size_t>;

void read_link_fault(const YamlField& entry, const UnknownKeys& unknown, FaultCounts& counts,
                     NetworkDescription& network) {
    check_keys(entry, {"link", "at", "until", "bandwidth_factor", "latency_add", "direction"},
               unknown);
    LinkFault fault;
    if (const auto at = entry.find("at")) {
        fault.at = time_at(*at, most_time_ns, "when the fault begins");
    }
    if (const auto until = entry.find("until")) {
        fault.until = time_at(*until, most_time_ns, "when the fault ends");
        if (fault.until <= fault.at) {
            until->refuse(until->found(),
                          fmt::format("a time after 'at', {}", format_time(fault.at)),
                          "Leave 'until' out for a fault that stays");
        }
    }
    const auto factor = entry.find("bandwidth_factor");
    if (factor) {
        fault.bandwidth = factor_at(*factor, 0, most_bandwidth_factor,
                                    "a factor from 0 (the link is down) to 1000");
    }
    const auto latency = entry.find("latency_add");
    if (latency) {
        fault.latency_add = time_at(*latency, most_latency_ns, "what is added to the latency");
    }
    if (!factor && !latency) {
        entry.refuse("a link fault without effect", "bandwidth_factor or latency_add");
    }
    for (const LinkId link : links_of(entry, network.graph)) {
        // The times at which a link changes, times those of its faults, are looked at.
        if (++counts[link] > most_faults_of_a_link) {
            entry.refuse(fmt::format("more than {} faults of one link", most_faults_of_a_link),
                         fmt::format("at most {}", most_faults_of_a_link), "List fewer");
        }
        fault.link = link;
        network.faults.links.push_back(fault);
    }
}

void read_npu_fault(const YamlField& entry, const UnknownKeys& unknown,
                    NetworkDescription& network) {
    check_keys(entry, {"npu", "slowdown"}, unknown, {"at", "until"});
    const YamlField npu = entry.at("npu");
    NpuFault fault;
    fault.npu = NodeId(static_cast<std::size_t>(
        npu.whole(0, static_cast<std::int64_t>(network.graph.npus()) - 1, "the number of an NPU")));
    fault.slowdown = factor_at(entry.at("slowdown"), least_slowdown, most_slowdown,
                               "a factor of compute times from 0.001 to 1000000");
    const std::vector<NpuFault>& others = network.faults.npus;
    if (std::any_of(others.begin(), others.end(),
                    [&](const NpuFault& other) { return other.npu == fault.npu; })) {
        npu.refuse(fmt::format("NPU {} a second time", fault.npu.value()),
                   "one slowdown for an NPU");
    }
    network.faults.npus.push_back(fault);
}

}  // namespace

void read_faults_section(const YamlField& section, const UnknownKeys& unknown,
                         NetworkDescription& network) {
    if (!section.is_list()) {
        section.refuse(section.found(), "a list of faults",
                       "For example: [{link: [0, 1], bandwidth_factor: 0.5}]");
    }
    FaultCounts counts;
    for (const YamlField& entry : section.items()) {
        if (!entry.is_map() || (!entry.find("link") && !entry.find("npu"))) {
            entry.refuse(entry.is_map() ? "a fault of nothing" : entry.found(),
                         "{link: [A, B], ...} or {npu: A, slowdown: F}");
        }
        if (entry.find("link")) {
            read_link_fault(entry, unknown, counts, network);
        } else {
            read_npu_fault(entry, unknown, network);
        }
    }
}

}  // namespace npunet::topology

#include "topology/yaml/network_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "topology/network/scale_up.h"
#include "topology/routing/automatic_router.h"
#include "topology/routing/channel_dependencies.h"
#include "topology/routing/product_routing.h"
#include "topology/routing/shortest_paths.h"
#include "topology/yaml/link_fields.h"
#include "topology/yaml/packet_presets.h"

namespace npunet::topology {

namespace {

/// A packet is then sent ten times on average.
constexpr double most_error_rate = 0.9;
constexpr std::int64_t most_packet_bytes = std::int64_t{1} << 30;
/// The check for deadlock takes seconds there, and four times as long at twice the size.
constexpr std::size_t most_shortest_path_npus = 8192;

void read_sizes(const YamlField& section, PacketParameters& packet) {
    if (const auto field = section.find("mtu")) {
        packet.mtu = field->size(1, most_packet_bytes);
    }
    if (const auto field = section.find("header")) {
        packet.header = field->size(0, most_packet_bytes);
    }
    if (packet.mtu + packet.header > Bytes(most_packet_bytes)) {
        const auto header = section.find("header");
        const YamlField& larger = header ? *header : section.at("mtu");
        larger.refuse(fmt::format("an mtu of {} B and a header of {} B", packet.mtu.value(),
                                  packet.header.value()),
                      fmt::format("at most {} B together", most_packet_bytes));
    }
}

void read_buffer(const YamlField& section, PacketParameters& packet) {
    const auto field = section.find("buffer");
    if (!field || (field->is_text() && field->text("") == "auto")) {
        return;
    }
    packet.buffer = field->size(0);
    if (packet.buffer < packet.mtu + packet.header) {
        field->refuse(field->found(),
                      fmt::format("room for one packet at least, {} B (mtu + header)",
                                  (packet.mtu + packet.header).value()),
                      "Use a larger buffer, or 'auto'");
    }
}

bool is_mesh(const NetworkDescription& network) {
    return !network.dimensions.empty() &&
           std::all_of(network.dimensions.begin(), network.dimensions.end(),
                       [](const Dimension& d) { return d.kind == DimensionKind::Mesh1D; });
}

/// Shortest paths have one virtual channel, and must do with it.
void check_shortest_paths(const YamlField& field, const Graph& graph) {
    if (graph.npus() > most_shortest_path_npus) {
        field.refuse(fmt::format("'shortest-path' on {} NPUs", graph.npus()),
                     fmt::format("at most {}", most_shortest_path_npus), "Use dimension-order");
    }
    if (const std::vector<Hop> cycle = shortest_path_cycle(graph); !cycle.empty()) {
        field.refuse(
            fmt::format("'shortest-path', whose routes wait for each other in a cycle of links: {}",
                        describe_cycle(graph, cycle)),
            "a routing that is free of deadlock", "Use dimension-order");
    }
}

/// How many virtual channels routes may have by what else the section says: one where links pause,
/// as Ethernet has none; with credits as many as are given, or as are left to a class, less the one
/// for rerouting. Nothing where it does not matter.
std::optional<std::uint8_t> most_of_routes(const YamlField& section,
                                           const NetworkDescription& network) {
    const auto flow_control = section.find("flow_control");
    const std::string control =
        flow_control && flow_control->is_text() ? flow_control->text("") : "credit";
    if (control == "pfc") {
        return std::uint8_t{1};
    }
    const int spare = network.faults.take_links_down() ? 1 : 0;
    const auto channels = section.find("virtual_channels");
    if (channels && channels->number()) {
        const double given = *channels->number() - spare;
        return std::isfinite(given) ? std::optional(static_cast<std::uint8_t>(
                                          std::clamp(given, 1.0, double{usual_channels})))
                                    : std::nullopt;
    }
    if (control != "credit") {
        return std::nullopt;
    }
    const int left = TrafficClasses::most_channels / network.packet.classes.count - spare;
    return static_cast<std::uint8_t>(std::clamp(left, 1, int{usual_channels}));
}

void read_own_routing(const YamlField& section, const RoutingChoice& own,
                      NetworkDescription& network) {
    const auto field = section.find("routing");
    const std::string word = field ? one_of(*field, own.offered) : own.offered.front();
    const std::optional<std::uint8_t> most =
        word == "auto" && own.make_within ? most_of_routes(section, network) : std::nullopt;
    const YamlField& place = field.value_or(section);
    Routes routes = most ? own.make_within(*most, network.packet.seed, place, network.graph)
                         : own.make(word, network.packet.seed, place, network.graph);
    network.router = std::move(routes.router);
    network.multipath = std::move(routes.multipath);
    network.planes = std::move(routes.planes);
}

void read_routing(const YamlField& section, NetworkDescription& network) {
    const auto field = section.find("routing");
    if (!field) {
        return;
    }
    const std::string word =
        one_of(*field, {"auto", "xy", "dimension-order", "shortest-path", "adaptive", "up-down",
                        "ecmp", "spray", "minimal", "ugal"});
    const std::vector<std::string> others{"up-down", "ecmp", "spray", "minimal", "ugal"};
    if (std::find(others.begin(), others.end(), word) != others.end()) {
        field->refuse(fmt::format("'{}' on {}", word, network.name),
                      "dimension-order, adaptive, or shortest-path where it is free of deadlock",
                      "The others are for networks without dimensions");
    }
    if (word == "adaptive") {
        network.multipath = std::make_shared<ProductNextHops>(network.dimensions);
    }
    if (word == "xy" && !is_mesh(network)) {
        field->refuse("'xy' on " + network.name, "a mesh", "Use dimension-order");
    }
    if (word == "shortest-path") {
        check_shortest_paths(*field, network.graph);
        network.router = std::make_shared<ShortestPathRouter>();
    }
}

void read_virtual_channels(const YamlField& section, const NetworkDescription& network,
                           PacketParameters& packet) {
    const auto field = section.find("virtual_channels");
    if (!field || (field->is_text() && field->text("") == "auto")) {
        return;
    }
    const std::int64_t channels =
        field->whole(1, TrafficClasses::most_channels, "virtual channels per class, or 'auto'");
    const std::int64_t needed = network.virtual_channels_needed();
    if (channels < needed) {
        field->refuse(
            field->found(),
            fmt::format("at least {}, which the routing on {} needs to be free of deadlock{}",
                        needed, network.name,
                        network.faults.take_links_down()
                            ? ", one of them for rerouting around failed links"
                            : ""),
            "Use 'auto'");
    }
    packet.virtual_channels = static_cast<std::uint8_t>(channels);
}

/// Links have so many virtual channels in all classes together; without credits they have none.
void check_channels(const YamlField& section, const NetworkDescription& network,
                    const PacketParameters& packet) {
    const int classes = packet.classes.count;
    const int channels =
        packet.virtual_channels > 0 ? packet.virtual_channels : network.virtual_channels_needed();
    const auto field = section.find("classes");
    if (field && packet.flow_control == FlowControl::Credit &&
        classes * channels > TrafficClasses::most_channels) {
        field->refuse(fmt::format("{} classes of {} virtual channels", classes, channels),
                      fmt::format("at most {} channels in all", TrafficClasses::most_channels),
                      "Use fewer classes, or lower virtual_channels, which is per class");
    }
}

void read_seed(const YamlField& section, std::optional<std::uint64_t> seed,
               PacketParameters& packet) {
    if (const auto field = section.find("seed")) {
        packet.seed = static_cast<std::uint64_t>(field->whole(0, std::int64_t{1} << 53, "a seed"));
    }
    packet.seed = seed.value_or(packet.seed);
    packet.seed_is_given = seed || section.find("seed");
}

void read_errors(const YamlField& section, PacketParameters& packet) {
    const auto field = section.find("error_rate");
    if (!field) {
        return;
    }
    const std::optional<double> rate = field->number();
    if (!rate || *rate < 0 || *rate > most_error_rate) {
        field->refuse(field->found(),
                      fmt::format("the probability that a packet is corrupted on a link, 0 to {}",
                                  most_error_rate));
    }
    if (*rate > 0 && packet.switching == Switching::CutThrough) {
        field->refuse(field->found() + " with switching: cut-through",
                      "store-and-forward: links that repair errors check packets when all of "
                      "them is in",
                      "Leave one of the two out");
    }
    packet.error_rate = *rate;
}

/// How packets pass through nodes.
void read_switching(const YamlField& section, PacketParameters& packet) {
    if (const auto field = section.find("switching")) {
        packet.switching = one_of(*field, {"store-and-forward", "cut-through"}) == "cut-through"
                               ? Switching::CutThrough
                               : Switching::StoreAndForward;
    }
    if (const auto field = section.find("arbitration")) {
        packet.arbitration = one_of(*field, {"round-robin", "oldest"}) == "oldest"
                                 ? Arbitration::Oldest
                                 : Arbitration::RoundRobin;
    }
    if (const auto field = section.find("speedup")) {
        const bool none = field->is_text() && field->text("") == "none";
        packet.speedup =
            none ? std::uint8_t{0}
                 : static_cast<std::uint8_t>(field->whole(1, 255,
                                                          "packets that leave an input at a time, "
                                                          "or 'none' for any number"));
    }
    if (const auto field = section.find("queue_histogram")) {
        packet.queue_histogram = one_of(*field, {"false", "true"}) == "true";
    }
}

/// The links of servers, where they have credits and the others have not.
void read_scale_up(const YamlField& packet_section, const UnknownKeys& unknown,
                   NetworkDescription& network) {
    const auto section = packet_section.find("scale_up");
    if (!section) {
        return;
    }
    check_keys(*section,
               {"flow_control", "tiers", "buffer", "virtual_channels", "arbitration", "speedup",
                "error_rate"},
               unknown);
    if (const auto field = section->find("flow_control")) {
        static_cast<void>(one_of(*field, {"credit"}));
    }
    PacketParameters packet = scale_up_parameters(network.packet);
    read_switching(*section, packet);
    read_buffer(*section, packet);
    read_errors(*section, packet);
    read_virtual_channels(*section, network, packet);
    const auto tiers = section->find("tiers");
    const std::int64_t count = tiers ? tiers->whole(1, 1000, "a number of innermost tiers") : 1;
    const YamlField& place = tiers ? *tiers : *section;
    network.scale_up = make_scale_up(network, static_cast<std::int32_t>(count), packet,
                                     place.file(), place.place());
    check_scale_up(network, section->file(), section->place());
    check_channels(packet_section, network, packet);
}

}  // namespace

void read_packet_section(const YamlField& written, const UnknownKeys& unknown,
                         const RoutingChoice* own, GigaByte gigabyte,
                         std::optional<std::uint64_t> seed, NetworkDescription& network) {
    check_keys(written,
               {"preset",
                "mtu",
                "header",
                "routing",
                "switching",
                "flow_control",
                "virtual_channels",
                "classes",
                "class_arbitration",
                "class_of",
                "arbitration",
                "buffer",
                "transport",
                "congestion_control",
                "dcqcn",
                "hpcc",
                "timely",
                "swift",
                "dctcp",
                "receiver-credit",
                "ecn",
                "pfc",
                "error_rate",
                "seed",
                "queue_histogram",
                "injection",
                "speedup",
                "scale_up"},
               unknown);
    const YamlField section = with_preset(written);
    read_switching(section, network.packet);
    read_seed(section, seed, network.packet);
    read_errors(section, network.packet);
    read_sizes(section, network.packet);
    read_buffer(section, network.packet);
    if (const auto field = section.find("injection")) {
        network.packet.injection = bandwidth_at(*field, gigabyte).rate;
    }
    read_classes(section, unknown, network);
    if (own != nullptr) {
        read_own_routing(section, *own, network);
    } else {
        read_routing(section, network);
    }
    read_virtual_channels(section, network, network.packet);
    read_transport_section(section, unknown, network);
    check_channels(section, network, network.packet);
    read_scale_up(section, unknown, network);
}

}  // namespace npunet::topology

#include "topology/network/packet_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/units.h"
#include "topology/network/headroom.h"
#include "topology/network/marking.h"
#include "topology/network/pause_cycle.h"
#include "topology/routing/channel_dependencies.h"
#include "topology/routing/graph_router.h"
#include "topology/routing/product_routing.h"

namespace npunet::topology {

namespace {

/// Says what cannot stay as it is, at a place of a file.
struct Refusal {
    const std::string& file;
    const std::string& place;

    [[noreturn]] void operator()(const std::string& found, const std::string& expected,
                                 const std::string& remedy) const {
        throw InputError({file, place, found, expected, remedy});
    }
};

/// Parameters of queue pairs that do not look at them.
void refuse_unused(const TransportParameters& transport, const Refusal& refuse) {
    const TransportParameters standard;
    const auto refuse_if = [&](bool given, const char* key) {
        if (given) {
            refuse(fmt::format("transport.{} with transport: {}", key, name_of(transport.kind)),
                   "only what has an effect", "Leave it out, or to its default");
        }
    };
    if (transport.kind == TransportKind::None) {
        refuse_if(transport.window != standard.window, "window");
        refuse_if(transport.ack_every != standard.ack_every, "ack_every");
        refuse_if(transport.rto != standard.rto, "rto");
        refuse_if(transport.retries != standard.retries, "retries");
        refuse_if(transport.start_jitter != standard.start_jitter, "start_jitter");
    }
    if (transport.kind != TransportKind::SelectiveRepeat) {
        refuse_if(transport.reordering != standard.reordering, "reordering");
    }
}

/// Parameters that mean nothing, or something else, where there are no credits.
void refuse_those_of_credits(const PacketParameters& packet, const Refusal& refuse) {
    const auto refuse_if = [&](int value, const char* key) {
        if (value != 0) {
            refuse(fmt::format("{}: {} with flow_control: {}", key, value,
                               name_of(packet.flow_control)),
                   "flow_control: credit",
                   "Leave it out: Ethernet-like switches have one queue per class at each output");
        }
    };
    refuse_if(packet.virtual_channels, "virtual_channels");
    refuse_if(packet.speedup, "speedup");
    if (packet.arbitration == Arbitration::Oldest) {
        refuse(fmt::format("arbitration: 'oldest' with flow_control: {}",
                           name_of(packet.flow_control)),
               "round-robin",
               "Ethernet-like switches send what waits for a link in the order in which it came");
    }
}

void refuse_those_of_ethernet(const PacketParameters& packet, const Refusal& refuse) {
    if (packet.congestion_control.algorithm != CongestionAlgorithm::None) {
        refuse(fmt::format("congestion_control: {} with flow_control: credit",
                           name_of(packet.congestion_control)),
               "flow_control: pfc or none",
               "Networks with credits have no transport on which it could act");
    }
    if (packet.transport.kind != TransportKind::None) {
        refuse(
            fmt::format("transport: {} with flow_control: credit", name_of(packet.transport.kind)),
            "flow_control: pfc or none",
            "Networks with credits lose nothing and need no transport: leave it out");
    }
}

void check_congestion_control(const NetworkDescription& network, const Refusal& refuse) {
    const PacketParameters& packet = network.packet;
    const CongestionAlgorithm algorithm = packet.congestion_control.algorithm;
    if (algorithm != CongestionAlgorithm::None && packet.transport.kind == TransportKind::None) {
        refuse(fmt::format("congestion_control: {} without a transport",
                           name_of(packet.congestion_control)),
               "transport: go-back-n or selective-repeat",
               "It acts on the windows and the pace of a transport's queue pairs");
    }
    if (algorithm == CongestionAlgorithm::ReceiverCredit &&
        value_of(packet.congestion_control, "trimming") != 0 &&
        (packet.flow_control != FlowControl::None ||
         packet.transport.kind != TransportKind::SelectiveRepeat)) {
        refuse("receiver-credit with trimming",
               "flow_control: none and transport: selective-repeat",
               "Packets are trimmed where they would be dropped, and sent again one by one");
    }
    if (needs_of(packet.congestion_control).telemetry && network.multipath != nullptr) {
        refuse(fmt::format("congestion_control: {} with routing: {}",
                           name_of(packet.congestion_control), network.routing_name()),
               "one path for each pair of NPUs",
               "It compares what the ports of a path told before: use another routing, or another "
               "algorithm");
    }
}

/// What is lost must be sent again.
void check_losses(const NetworkDescription& network, const Refusal& refuse) {
    const PacketParameters& packet = network.packet;
    if (packet.transport.kind != TransportKind::None) {
        return;
    }
    if (packet.flow_control == FlowControl::None) {
        refuse("flow_control: none without a transport", "transport: go-back-n or selective-repeat",
               "Switches without flow control drop packets, which would not be sent again");
    }
    if (packet.error_rate > 0 || network.faults.take_links_down()) {
        refuse(packet.error_rate > 0 ? "error_rate without a transport"
                                     : "faults that take links down without a transport",
               "transport: go-back-n or selective-repeat",
               "What is lost on an Ethernet-like link is lost unless a transport sends it again");
    }
}

/// With less headroom than may still come packets are lost in spite of pauses.
std::string headroom_warning(const NetworkDescription& network) {
    const Bytes given = network.packet.shared_buffer.headroom;
    const NeededHeadroom needed = needed_headroom(network.graph, network.packet);
    if (given >= needed.bytes) {
        return {};
    }
    const Link& link = network.graph.link(needed.link);
    return fmt::format(
        "pfc.headroom: {} B is less than the {} B that may come by {} -> {} after it is told to "
        "pause: packets are lost for want of headroom, and sending them again is slow; 'auto' is "
        "enough for every link",
        given.value(), needed.bytes.value(), network.graph.name(link.from),
        network.graph.name(link.to));
}

/// Warns if marks come too late for congestion control, or never.
std::string marks_warning(const NetworkDescription& network) {
    const std::optional<LinkWithoutMarks> late = link_without_marks(network);
    if (!late) {
        return {};
    }
    const PacketParameters& packet = network.packet;
    const Link& link = network.graph.link(late->link);
    // With pauses, queues can grow further into the headroom.
    const bool pauses = packet.flow_control == FlowControl::Pfc;
    return fmt::format(
        "ecn.{}: nothing is marked on {} -> {} before {}: marks begin beyond {}, and at most {} "
        "waits there by then (a buffer of {}, alpha {:g}), so that congestion_control: {} {}; {}",
        packet.ecn.pmax > 0 ? "kmin" : "kmax", network.graph.name(link.from),
        network.graph.name(link.to), pauses ? "links are told to pause" : "packets are dropped",
        format_bytes(late->begin), format_bytes(late->most), format_bytes(late->room),
        packet.shared_buffer.alpha, name_of(packet.congestion_control),
        pauses ? "hears of congestion only after links have been told to pause, if at all"
               : "does not hear of congestion",
        advice_for_sooner_marks(packet.ecn));
}

/// The routing of the network that cannot deadlock with one virtual channel, as advice; empty where
/// there is none.
std::string advice_for_routing(const NetworkDescription& network) {
    const auto* router = dynamic_cast<const GraphRouter*>(network.router.get());
    if (router != nullptr && GraphRouter(network.graph, GraphRoutes::UpDown, router->seed())
                                 .reaches_all(network.graph)) {
        return "routing: up-down, ";
    }
    const bool is_adaptive = !network.router && network.multipath;
    return is_adaptive && dimension_order_channels(network.dimensions) == 1
               ? "routing: dimension-order, "
               : "";
}

/// "can pause each other in a cycle", with an example if there is one.
std::string describe(const PauseCycle& pauses, const Graph& graph) {
    return pauses.links.empty()
               ? "may pause each other in a cycle (not all routes were looked at)"
               : "can pause each other in a cycle, such as " + describe_cycle(graph, pauses.links);
}

/// Warns if links can pause each other in a cycle.
std::string pauses_warning(const NetworkDescription& network) {
    const PauseCycle pauses = find_pause_cycle(network);
    if (!pauses.is_possible) {
        return {};
    }
    return fmt::format(
        "flow_control: pfc, and links that routes of {} take {}: they are free of deadlock with {} "
        "virtual channels, and pauses have one queue per class; a deadlock ends the run with exit "
        "code 3; use {}flow_control: none, or flow_control: credit",
        network.routing_name(), describe(pauses, network.graph),
        network.virtual_channels_needed() - (network.faults.take_links_down() ? 1 : 0),
        advice_for_routing(network));
}

}  // namespace

void check_transport(const NetworkDescription& network, const std::string& file,
                     const std::string& place, std::vector<std::string>* warnings, Losses losses) {
    const PacketParameters& packet = network.packet;
    const Refusal refuse{file, place};
    if (packet.flow_control == FlowControl::Credit) {
        refuse_those_of_ethernet(packet, refuse);
        refuse_unused(packet.transport, refuse);
        return;
    }
    refuse_those_of_credits(packet, refuse);
    check_congestion_control(network, refuse);
    if (losses == Losses::Refused) {
        check_losses(network, refuse);
    }
    refuse_unused(packet.transport, refuse);
    if (warnings == nullptr) {
        return;
    }
    const auto warn = [&](const std::string& text) {
        if (!text.empty()) {
            warnings->push_back(fmt::format("{}: {}.{}", file, place, text));
        }
    };
    if (packet.flow_control == FlowControl::Pfc && packet.shared_buffer.headroom > Bytes()) {
        warn(headroom_warning(network));
    }
    if (packet.flow_control == FlowControl::Pfc) {
        warn(pauses_warning(network));
    }
    warn(marks_warning(network));
}

namespace {

std::optional<EthernetProblem> headroom_problem(const PacketParameters& packet) {
    const std::int64_t largest = largest_packet(packet).value();
    const std::int64_t headroom = packet.shared_buffer.headroom.value();
    if (headroom == 0 || headroom >= largest) {
        return std::nullopt;
    }
    return EthernetProblem{"pfc.headroom", fmt::format("{} bytes", headroom),
                           fmt::format("room for at least one packet, {} bytes", largest),
                           "Enlarge it, or leave it to 'auto'"};
}

/// Requests to pause go back by the link that they are about; parallel links each have their own.
std::optional<EthernetProblem> return_route_problem(const Graph& graph) {
    std::vector<std::int64_t> surplus(graph.nodes());
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        for (const LinkId id : graph.links_from(NodeId(node))) {
            ++surplus[graph.link(id).to.index()];
        }
        for (const LinkId id : graph.links_to(NodeId(node))) {
            --surplus[graph.link(id).from.index()];
        }
        for (const LinkId id : graph.links_from(NodeId(node))) {
            const Link& link = graph.link(id);
            if (surplus[link.to.index()] > 0) {
                return EthernetProblem{
                    "flow_control",
                    fmt::format("pfc, and no link back for {} -> {}", graph.name(link.from),
                                graph.name(link.to)),
                    "a link back for every link, by which it can be told to pause",
                    "Add it, or use flow_control: credit"};
            }
        }
        for (const LinkId id : graph.links_from(NodeId(node))) {
            surplus[graph.link(id).to.index()] = 0;
        }
        for (const LinkId id : graph.links_to(NodeId(node))) {
            surplus[graph.link(id).from.index()] = 0;
        }
    }
    return std::nullopt;
}

/// A packet that never finds room would be sent again for ever.
std::optional<EthernetProblem> room_problem(const NetworkDescription& network) {
    const std::int64_t largest = largest_packet(network.packet).value();
    const double alpha = network.packet.shared_buffer.alpha;
    for (std::size_t node = 0; node < network.graph.nodes(); ++node) {
        const std::int64_t room = network.shared_buffer_of(NodeId(node)).value();
        if (std::min(alpha, 1.0) * static_cast<double>(room) >= static_cast<double>(largest) ||
            network.graph.links_to(NodeId(node)).empty()) {
            continue;
        }
        return EthernetProblem{
            network.packet.buffer > Bytes(0) ? "buffer" : "pfc.alpha",
            fmt::format("{} bytes in {}, of which a queue may have {:g} times what is free", room,
                        network.graph.name(NodeId(node)), alpha),
            fmt::format("room for at least one packet in a queue, {} bytes", largest),
            "Enlarge packet.buffer or packet.pfc.alpha"};
    }
    return std::nullopt;
}

}  // namespace

std::optional<EthernetProblem> ethernet_problem(const NetworkDescription& network) {
    switch (network.packet.flow_control) {
        case FlowControl::Credit:
            break;
        case FlowControl::Pfc: {
            const auto problem = headroom_problem(network.packet);
            return problem ? problem : return_route_problem(network.graph);
        }
        case FlowControl::None:
            return room_problem(network);
    }
    return std::nullopt;
}

}  // namespace npunet::topology

#include "topology/ethernet_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/headroom.h"

namespace npunet::topology {

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

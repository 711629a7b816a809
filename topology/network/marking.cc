#include "topology/network/marking.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace npunet::topology {

namespace {

/// The most that can wait for a link in one class, given the node's `room` and the number of other
/// links that bring packets for it.
Bytes most_waiting(const PacketParameters& packet, Bytes room, std::int64_t sources) {
    const double alpha = packet.shared_buffer.alpha;
    if (packet.flow_control == FlowControl::None) {
        return queue_limit(room, alpha, 1);
    }
    return sources * queue_limit(room, alpha, sources);
}

}  // namespace

MarkThresholds mark_thresholds(const EcnParameters& ecn, Rate link) {
    const std::int64_t per = ecn.per.bytes_per_second();
    const double share =
        per == 0 ? 1.0 : static_cast<double>(link.bytes_per_second()) / static_cast<double>(per);
    return {Bytes(capped_whole(static_cast<double>(ecn.kmin.value()) * share)),
            Bytes(capped_whole(static_cast<double>(ecn.kmax.value()) * share))};
}

Bytes marks_begin(const EcnParameters& ecn, Rate link) {
    const MarkThresholds marks = mark_thresholds(ecn, link);
    return ecn.pmax > 0 ? marks.kmin : marks.kmax;
}

const char* advice_for_sooner_marks(const EcnParameters& ecn) {
    return ecn.pmax > 0 ? "lower ecn.kmin or enlarge buffer"
                        : "lower ecn.kmax, give ecn.pmax or enlarge buffer";
}

Bytes queue_limit(Bytes room, double alpha, std::int64_t queues) {
    const double share = alpha / (1 + alpha * static_cast<double>(queues));
    return Bytes(capped_whole(static_cast<double>(room.value()) * share));
}

bool passes_on(const Graph& graph, NodeId node) {
    return graph.links_to(node).size() > 1;
}

std::optional<LinkWithoutMarks> link_without_marks(const NetworkDescription& network) {
    const PacketParameters& packet = network.packet;
    if (packet.flow_control == FlowControl::Credit || !looks_at_marks(packet.congestion_control)) {
        return std::nullopt;
    }
    const Graph& graph = network.graph;
    std::vector<double> from(graph.nodes());  // bytes/s that arrive from each node
    std::optional<LinkWithoutMarks> worst;
    double excess = 1;
    for (std::size_t number = 0; number < graph.nodes(); ++number) {
        const NodeId node(number);
        if (!passes_on(graph, node)) {
            continue;
        }
        const Bytes room = network.shared_buffer_of(node);
        const auto sources = static_cast<std::int64_t>(graph.links_to(node).size()) - 1;
        double incoming = 0;
        for (const LinkId id : graph.links_to(node)) {
            const auto rate = static_cast<double>(graph.link(id).rate.bytes_per_second());
            incoming += rate;
            from[graph.link(id).from.index()] += rate;
        }
        for (const LinkId id : graph.links_from(node)) {
            const Link& link = graph.link(id);
            // Packets from a neighbour do not go back to it; a link as fast as all other inputs
            // together never builds up a long queue.
            if (incoming - from[link.to.index()] <=
                static_cast<double>(link.rate.bytes_per_second())) {
                continue;
            }
            const Bytes begin = marks_begin(packet.ecn, link.rate);
            const Bytes most = most_waiting(packet, room, sources);
            const double factor = static_cast<double>(begin.value()) /
                                  static_cast<double>(std::max<std::int64_t>(most.value(), 1));
            if (factor >= excess && (!worst || factor > excess)) {
                excess = factor;
                worst = LinkWithoutMarks{id, begin, most, room};
            }
        }
        for (const LinkId id : graph.links_to(node)) {
            from[graph.link(id).from.index()] = 0;
        }
    }
    return worst;
}

}  // namespace npunet::topology

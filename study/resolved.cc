#include "study/resolved.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/units.h"
#include "engine/collective_algorithms/implementation.h"
#include "topology/network/headroom.h"
#include "topology/network/marking.h"
#include "topology/network/scale_up.h"

namespace npunet::study {

namespace {

using engine::CollectiveKind;
using topology::FlowControl;
using topology::NetworkDescription;

std::vector<std::string> algorithms_of(const Machine& machine, CollectiveKind kind) {
    if (machine.system.library != nullptr && machine.system.library->carries_out(kind)) {
        return {machine.system.library->name};
    }
    const std::vector<engine::Implementation>& list = machine.system.implementations(kind);
    if (list.empty()) {
        return {"auto"};
    }
    std::vector<std::string> names;
    for (const engine::Implementation& implementation : list) {
        names.push_back(machine.dialect.chooses_algorithms ? implementation.spelled()
                                                           : implementation.spelled_in_reference());
    }
    const engine::FileChoices& files = machine.system.files(kind);
    if (!files.list.empty() && !files.others) {
        names.clear();
    }
    for (auto file = files.list.rbegin(); file != files.list.rend(); ++file) {
        names.insert(names.begin(), file->algorithm->name);
    }
    if (!files.list.empty()) {
        return names;
    }
    const bool by_dimension =
        !has_root(kind) && kind != CollectiveKind::Barrier && !list.front().flat;
    if (names.size() == 1 && by_dimension && !machine.network.tiers.empty()) {
        names.resize(machine.network.tiers.size(), std::string(names.front()));
    }
    return names;
}

/// Range of the queue limit of a node, from all queues equally long to a single one: one queue per
/// class and incoming link with pauses, per class and outgoing link without.
void add_shared_buffer(engine::ResolvedPacket& packet, const NetworkDescription& network) {
    const topology::Graph& graph = network.graph;
    const topology::PacketParameters& parameters = network.packet;
    const bool pauses = parameters.flow_control == FlowControl::Pfc;
    for (std::size_t number = 0; number < graph.nodes(); ++number) {
        const NodeId node(number);
        if (!topology::passes_on(graph, node)) {
            continue;
        }
        const Bytes room = network.shared_buffer_of(node);
        const double alpha = parameters.shared_buffer.alpha;
        const std::size_t links =
            pauses ? graph.links_to(node).size() : graph.links_from(node).size();
        const auto queues = static_cast<std::int64_t>(links * parameters.classes.count);
        widen(packet.buffer, room);
        widen(packet.queue_limit, topology::queue_limit(room, alpha, queues));
        widen(packet.queue_limit, topology::queue_limit(room, alpha, 1));
    }
}

void add_headroom(engine::ResolvedPacket& packet, const NetworkDescription& network) {
    const topology::PacketParameters& parameters = network.packet;
    const Bytes largest = topology::largest_packet(parameters);
    packet.resume_below = 2 * largest;
    if (parameters.shared_buffer.headroom > Bytes(0)) {
        widen(packet.headroom, parameters.shared_buffer.headroom);
        return;
    }
    const topology::Graph& graph = network.graph;
    for (const LinkId link : graph.shown_links()) {
        const topology::Link& forth = graph.link(link);
        const topology::Link& back = graph.link(graph.find_link(forth.to, forth.from));
        widen(packet.headroom,
              topology::lossless_headroom(forth, back, largest, parameters.classes.count));
    }
}

void add_thresholds(engine::ResolvedPacket& packet, const NetworkDescription& network) {
    if (!topology::looks_at_marks(network.packet.congestion_control)) {
        return;
    }
    const topology::Graph& graph = network.graph;
    packet.pmax = network.packet.ecn.pmax;
    for (const LinkId number : graph.shown_links()) {
        const topology::Link& link = graph.link(number);
        if (topology::passes_on(graph, link.from)) {
            const topology::MarkThresholds marks =
                topology::mark_thresholds(network.packet.ecn, link.rate);
            widen(packet.kmin, marks.kmin);
            widen(packet.kmax, marks.kmax);
        }
    }
}

engine::ResolvedPacket packet_of(const NetworkDescription& network,
                                 const engine::QueuePairLimits& pairs) {
    const topology::PacketParameters& parameters = network.packet;
    engine::ResolvedPacket packet;
    packet.routing = network.routing_name();
    packet.flow_control = name_of(parameters.flow_control);
    if (parameters.flow_control == FlowControl::Credit) {
        packet.virtual_channels = network.virtual_channels();
        for (const LinkId link : network.graph.shown_links()) {
            widen(packet.buffer, network.buffer_of(link));
        }
        return packet;
    }
    add_shared_buffer(packet, network);
    if (parameters.flow_control == FlowControl::Pfc) {
        add_headroom(packet, network);
    }
    add_thresholds(packet, network);
    packet.transport = name_of(parameters.transport.kind);
    packet.congestion_control = name_of(parameters.congestion_control);
    packet.pairs = pairs;
    return packet;
}

}  // namespace

engine::Resolved resolve(const Machine& machine, Fidelity fidelity,
                         const engine::QueuePairLimits& pairs) {
    engine::Resolved resolved;
    for (std::size_t i = 0; i < machine.system.implementation_lists.size(); ++i) {
        const auto kind = static_cast<CollectiveKind>(i);
        resolved.collectives.emplace_back(name_of(kind), algorithms_of(machine, kind));
    }
    const NetworkDescription& network = machine.network;
    if (fidelity == Fidelity::Packet && network.scale_up) {
        using topology::TierPart;
        resolved.packet = packet_of(part_of(network, TierPart::ScaleOut), pairs);
        resolved.packet->scale_up.push_back(packet_of(part_of(network, TierPart::ScaleUp), pairs));
    } else if (fidelity == Fidelity::Packet) {
        resolved.packet = packet_of(network, pairs);
    }
    return resolved;
}

}  // namespace npunet::study

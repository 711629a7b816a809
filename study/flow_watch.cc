#include "study/flow_watch.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "topology/network/idle_path.h"
#include "topology/network/injection.h"

namespace npunet::study {

namespace {

using engine::FlowKey;
using topology::IdlePath;
using topology::NetworkDescription;

IdlePath path_of(Fidelity fidelity) {
    switch (fidelity) {
        case Fidelity::Analytical:
            return IdlePath::Headers;
        case Fidelity::CongestionAware:
            return IdlePath::WholeMessages;
        case Fidelity::Fluid:
        case Fidelity::Packet:
            break;
    }
    return IdlePath::Packets;
}

/// Only networks of packets know classes.
topology::TrafficClasses classes_of(const Machine& machine, Fidelity fidelity) {
    return fidelity == Fidelity::Packet ? machine.network.packet.classes
                                        : topology::TrafficClasses();
}

}  // namespace

engine::FlowStatistics::IdleTime idle_time(const Machine& machine, Fidelity fidelity) {
    if (machine.dialect.whole_nanoseconds) {
        return nullptr;
    }
    std::shared_ptr<const NetworkDescription> split;
    if (fidelity == Fidelity::Packet && Rate() < machine.network.packet.injection) {
        split = std::make_shared<NetworkDescription>(
            topology::with_injection(machine.network, machine.network.packet.injection));
    }
    return [&network = machine.network, split, path = path_of(fidelity)](const FlowKey& flow,
                                                                         Bytes bytes) {
        if (!split) {
            return topology::idle_time(network, flow.source, flow.destination, bytes, path);
        }
        // All planes are behind the one port.
        const std::vector<topology::Hop> route = split->route(flow.source, flow.destination);
        const std::size_t planes =
            network.multipath ? network.routes(flow.source, flow.destination).size() : 1;
        const Bytes part =
            topology::largest_part(bytes, static_cast<std::int64_t>(planes), network.packet, path);
        return std::max(topology::idle_path_time(*split, route, part, path),
                        topology::idle_path_time(*split, {route.front()}, bytes, path));
    };
}

FlowWatch::FlowWatch(const Machine& machine, Fidelity fidelity, engine::Network& network,
                     const engine::EventQueue& queue,
                     std::function<void(const engine::CompletedMessage&)> each)
    : machine_(machine),
      statistics_(idle_time(machine, fidelity)),
      each_(std::move(each)),
      recorder_(network, queue, classes_of(machine, fidelity),
                [this](const engine::CompletedMessage& message) { add(message); }) {}

void FlowWatch::add(engine::CompletedMessage message) {
    message.slowdown = statistics_.add(message);
    if (each_) {
        each_(message);
    }
}

engine::FlowResults FlowWatch::results() {
    recorder_.finish();
    engine::FlowResults results = statistics_.results(recorder_.flow_use());
    results.classes = recorder_.classes().count;
    const topology::Graph& graph = machine_.network.graph;
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        results.names.push_back(graph.name(NodeId(node)));
    }
    return results;
}

}  // namespace npunet::study

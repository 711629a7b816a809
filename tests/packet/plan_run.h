// Small runs of the packet machine whose schedules are worked out by hand.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "network_run.h"
#include "test_networks.h"
#include "topology/builders/builder.h"
#include "topology/network/network_description.h"
#include "traffic.h"

namespace npunet::packet_test {

/// Packets of 936 + 64 bytes at 100 GB/s: 10 ns each. Links of 5 ns.
inline constexpr std::int64_t mtu = 936;
inline const Rate rate(100'000'000'000);
inline const Time latency = Time::ns(5);

inline topology::PacketParameters parameters(std::int64_t buffer_packets = 0) {
    topology::PacketParameters result;
    result.mtu = Bytes(mtu);
    result.header = Bytes(64);
    result.buffer = Bytes(buffer_packets * (mtu + 64));
    result.virtual_channels = 2;
    return result;
}

inline topology::PacketParameters oldest_first() {
    topology::PacketParameters result = parameters();
    result.arbitration = topology::Arbitration::Oldest;
    return result;
}

inline topology::PacketParameters cut_through(std::int64_t buffer_packets = 0) {
    topology::PacketParameters result = parameters(buffer_packets);
    result.switching = topology::Switching::CutThrough;
    return result;
}

/// A product of equal links, with virtual channels as needed.
inline topology::NetworkDescription network_of(
    const std::vector<Shape>& shapes, const topology::PacketParameters& packet = parameters(),
    Rate of_links = rate, Time latency_of_links = latency) {
    std::vector<topology::Dimension> dimensions;
    for (const Shape& shape : shapes) {
        dimensions.push_back(
            topology::make_dimension(shape.kind, shape.size, of_links, latency_of_links));
    }
    topology::NetworkDescription network = topology::make_network(dimensions, "a network");
    network.packet = packet;
    network.packet.virtual_channels = 0;
    return network;
}

/// The parameters of Ethernet-like switches that pause.
inline topology::PacketParameters ethernet(
    topology::TransportKind transport = topology::TransportKind::None) {
    topology::PacketParameters result = parameters();
    result.flow_control = topology::FlowControl::Pfc;
    result.transport.kind = transport;
    return result;
}

/// The network of a PlanRun, which is there before the run.
struct HandMade {
    HandMade(std::vector<Shape> shapes, const topology::PacketParameters& packet,
             std::vector<topology::LinkFault> faults, const LinkMaker& links)
        : network(std::move(shapes), links), description(network.describe(packet)) {
        description.faults.links = std::move(faults);
    }

    TestNetwork network;
    topology::NetworkDescription description;
};

/// A run of a plan on a network with credits, of equal links unless the test says otherwise.
struct PlanRun : HandMade, CreditRun {
    PlanRun(std::vector<Shape> shapes, const Plan& plan,
            const topology::PacketParameters& packet = parameters(),
            std::vector<topology::LinkFault> faults = {},
            const LinkMaker& links = equal_links(rate, latency))
        : HandMade(std::move(shapes), packet, std::move(faults), links),
          CreditRun(
              description, [this](NodeId from, NodeId to) { return network.route(from, to); },
              plan) {}
};

/// Times in nanoseconds, such as those of NetworkRun::delivered().
inline std::vector<Time> ns(std::initializer_list<std::int64_t> times) {
    std::vector<Time> result;
    for (const std::int64_t time : times) {
        result.push_back(Time::ns(time));
    }
    return result;
}

/// How many packets a message has, and bytes on the wire of the last one.
struct Packets {
    explicit Packets(std::int64_t bytes)
        : count(bytes == 0 ? 1 : (bytes + mtu - 1) / mtu), last(bytes - (count - 1) * mtu + 64) {}

    std::int64_t count;
    Bytes last;
};

/// Sizes around those of packets.
inline constexpr std::int64_t sizes_to_try[] = {0, 1, 935, 936, 937, 5000, 93600, 1000003};

inline PlannedMessage packets(int source, int destination, std::int64_t count,
                              Time start = Time()) {
    return {NodeId(source), NodeId(destination), Bytes(count * mtu), start, -1, true};
}

}  // namespace npunet::packet_test

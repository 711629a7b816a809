// Small runs of the packet machine whose schedules are worked out by hand.
#pragma once

#include <utility>
#include <vector>

#include "packet/credit/credit_network.h"
#include "test_networks.h"
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

/// A run of a plan on a network, of equal links unless the test says otherwise.
struct PlanRun {
    PlanRun(std::vector<Shape> shapes, const Plan& plan,
            const topology::PacketParameters& packet = parameters(),
            std::vector<topology::LinkFault> faults = {},
            const LinkMaker& links = equal_links(rate, latency))
        : network(std::move(shapes), links),
          description(with_faults(network.describe(packet), std::move(faults))),
          machine(
              description, [this](NodeId from, NodeId to) { return network.route(from, to); },
              queue),
          traffic(plan, queue, machine) {
        queue.run();
    }

    [[nodiscard]] Time delivered(std::size_t message) const {
        return traffic.outcomes()[message].delivered;
    }

    [[nodiscard]] engine::LinkUse use(int from, int to) const {
        return machine.link_use()[network.graph.find_link(NodeId(from), NodeId(to)).index()];
    }

    static topology::NetworkDescription with_faults(topology::NetworkDescription description,
                                                    std::vector<topology::LinkFault> faults) {
        description.faults.links = std::move(faults);
        return description;
    }

    TestNetwork network;
    topology::NetworkDescription description;
    engine::EventQueue queue;
    packet::CreditNetwork machine;
    Traffic traffic;
};

inline PlannedMessage packets(int source, int destination, std::int64_t count) {
    return {NodeId(source), NodeId(destination), Bytes(count * mtu), Time(), -1, true};
}

}  // namespace npunet::packet_test

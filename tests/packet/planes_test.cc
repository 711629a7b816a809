// Messages over parallel planes in packets: by default, sprayed and adaptive, all planes are busy
// all the time, so that k of them are k times as fast as one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "network_run.h"
#include "topology/network/idle_path.h"
#include "topology/yaml/network_reader.h"
#include "traffic.h"

namespace npunet::packet_test {
namespace {

using topology::IdlePath;
using topology::NetworkDescription;

std::string nodes_text(int npus, int switches) {
    std::string text = "Custom:\n  nodes:\n";
    for (int i = 0; i < npus; ++i) {
        text += fmt::format("    - {{name: g{}, kind: npu}}\n", i);
    }
    for (int i = 0; i < switches; ++i) {
        text += fmt::format("    - {{name: s{}, kind: switch}}\n", i);
    }
    return text + "  links:\n";
}

/// NPUs of 450 GB/s: a link of 112.5 GB/s to each of four switches.
NetworkDescription four_planes(int npus, const std::string& packet) {
    std::string text = nodes_text(npus, 4);
    for (int i = 0; i < npus; ++i) {
        for (int s = 0; s < 4; ++s) {
            text +=
                fmt::format("    - {{from: g{}, to: s{}, bandwidth: 112.5, latency: 250}}\n", i, s);
        }
    }
    return topology::parse_network(text + "packet: {" + packet + "}\n", "planes.yml");
}

/// The same NPUs with four links to one switch.
NetworkDescription four_links(int npus, const std::string& packet) {
    std::string text = nodes_text(npus, 1);
    for (int i = 0; i < npus; ++i) {
        text += fmt::format(
            "    - {{from: g{}, to: s0, bandwidth: 112.5, latency: 250, count: 4}}\n", i);
    }
    return topology::parse_network(text + "packet: {" + packet + "}\n", "planes.yml");
}

double ratio(Time a, Time b) {
    return static_cast<double>(a.ps()) / static_cast<double>(b.ps());
}

/// What the links that begin at an NPU have carried.
std::vector<std::int64_t> wire_from(const NetworkDescription& network,
                                    const std::vector<engine::LinkUse>& uses, int npu) {
    std::vector<std::int64_t> wire;
    for (const LinkId link : network.graph.links_from(NodeId(npu))) {
        wire.push_back(uses[link.index()].wire.value());
    }
    return wire;
}

// 450 MB at 450 GB/s: 1 ms and the headers, 1.6 %.
TEST(PlanesPackets, OneMessageUsesFourPlanes) {
    for (const char* routing : {"auto", "spray", "adaptive"}) {
        const NetworkDescription network =
            four_planes(2, fmt::format("routing: {}, mtu: 4096, header: 64", routing));
        const Plan plan{message(0, 1, 450'000'000)};
        const CreditRun run(network, plan);
        const Time ideal = topology::idle_time(network, NodeId(0), NodeId(1), Bytes(450'000'000),
                                               IdlePath::Packets);
        EXPECT_LT(ideal, Time::ns(1'017'000));
        EXPECT_LE(ratio(run.delivered(0), ideal), 1.001) << routing;
        const std::vector<std::int64_t> wire = wire_from(network, run.machine.link_use(), 0);
        const auto [least, most] = std::minmax_element(wire.begin(), wire.end());
        EXPECT_LE(*most - *least, 2 * 4160) << routing;
    }
}

// In turn, a message takes exactly as long as its largest part on one plane, stored or cut through.
TEST(PlanesPackets, TheIdleTimeIsExact) {
    for (const char* switching : {"store-and-forward", "cut-through"}) {
        for (const char* routing : {"auto", "spray"}) {
            const NetworkDescription network =
                four_planes(2, fmt::format("routing: {}, switching: {}, mtu: 1000, header: 50",
                                           routing, switching));
            for (const std::int64_t bytes : {0, 1, 999, 1000, 3000, 3500, 4000, 4001, 4500, 5000,
                                             8001, 15'999, 16'001, 100'100}) {
                const CreditRun run(network, {message(0, 1, bytes)});
                EXPECT_EQ(run.delivered(0), topology::idle_time(network, NodeId(0), NodeId(1),
                                                                Bytes(bytes), IdlePath::Packets))
                    << bytes << " " << routing << " " << switching;
            }
        }
    }
}

// Parallel links at a switch: what came by four is divided among four again.
TEST(PlanesPackets, ParallelLinksOfASwitch) {
    for (const char* routing : {"auto", "spray", "adaptive"}) {
        const NetworkDescription network =
            four_links(3, fmt::format("routing: {}, mtu: 4096, header: 64", routing));
        const Plan plan{message(0, 1, 45'000'000)};
        const CreditRun run(network, plan);
        const Time ideal = topology::idle_time(network, NodeId(0), NodeId(1), Bytes(45'000'000),
                                               IdlePath::Packets);
        EXPECT_LE(ratio(run.delivered(0), ideal), 1.01) << routing;
    }
}

// All NPUs send to all others at once, in messages of few packets and of many: each has 7 messages
// of n packets for its four ports.
TEST(PlanesPackets, AllToAllKeepsAllPortsBusy) {
    constexpr int npus = 8;
    for (const auto& [packets, bound] : {std::pair{1, 3.5}, {3, 1.7}, {100, 1.2}}) {
        Plan plan;
        for (int step = 1; step < npus; ++step) {
            for (int from = 0; from < npus; ++from) {
                plan.push_back(message(from, (from + step) % npus, 4096 * packets));
            }
        }
        for (const char* routing : {"auto", "spray", "adaptive"}) {
            const NetworkDescription network =
                four_planes(npus, fmt::format("routing: {}, mtu: 4096, header: 64", routing));
            const CreditRun run(network, plan);
            EXPECT_TRUE(all_came_once(run.outcomes()));
            const Time least =
                transfer_time(Bytes(7 * packets * 4160), Rate(450'000'000'000)) + Time::ns(500);
            const NetworkDescription ethernet = four_planes(
                npus, fmt::format("routing: {}, mtu: 4096, header: 64, flow_control: pfc, "
                                  "transport: {{kind: selective-repeat}}",
                                  routing));
            const EthernetRun with_pauses(ethernet, plan);
            std::cout << routing << ", " << packets
                      << " packets each: " << ratio(run.finish(), least) << ", Ethernet "
                      << ratio(with_pauses.finish(), least) << '\n';
            EXPECT_LE(ratio(run.finish(), least), bound) << routing << " " << packets;
            EXPECT_LE(ratio(with_pauses.finish(), least), bound) << routing << " " << packets;
        }
    }
}

// Ethernet-like switches: packets come as they may, nothing is sent twice, and the windows of queue
// pairs have room for all planes.
TEST(PlanesPackets, TransportsUseFourPlanes) {
    for (const char* transport :
         {"flow_control: pfc", "flow_control: pfc, transport: {kind: selective-repeat}",
          "flow_control: pfc, transport: {kind: selective-repeat}, congestion_control: dcqcn",
          "flow_control: none, transport: {kind: selective-repeat}, congestion_control: swift"}) {
        for (const char* routing : {"auto", "spray", "adaptive"}) {
            const NetworkDescription network = four_planes(
                2, fmt::format("routing: {}, mtu: 4096, header: 64, {}", routing, transport));
            const EthernetRun run(network, {message(0, 1, 45'000'000)});
            const Time ideal = topology::idle_time(network, NodeId(0), NodeId(1), Bytes(45'000'000),
                                                   IdlePath::Packets);
            EXPECT_LE(ratio(run.delivered(0), ideal), 1.02) << routing << " " << transport;
            EXPECT_EQ(run.sum().retransmissions, 0U) << routing << " " << transport;
        }
    }
}

// A plane that is down for a while carries nothing by default: three quarters of the rate.
TEST(PlanesPackets, PlanesWithFaultsCarryNothing) {
    const NetworkDescription faulty = [] {
        std::string text = nodes_text(2, 4);
        for (int i = 0; i < 2; ++i) {
            for (int s = 0; s < 4; ++s) {
                text += fmt::format(
                    "    - {{from: g{}, to: s{}, bandwidth: 112.5, latency: 250}}\n", i, s);
            }
        }
        return topology::parse_network(
            text +
                "packet: {mtu: 4096, header: 64}\n"
                "faults:\n  - {link: [g0, s1], at: 10us, until: 20us, bandwidth_factor: 0}\n",
            "planes.yml");
    }();
    const CreditRun run(faulty, {message(0, 1, 45'000'000)});
    const Time ideal =
        topology::idle_time(faulty, NodeId(0), NodeId(1), Bytes(45'000'000), IdlePath::Packets);
    EXPECT_GT(ideal, Time::ns(133'000));
    EXPECT_LE(ratio(run.delivered(0), ideal), 1.001);
    EXPECT_EQ(run.use(0, 3).packets, 0U);
}

}  // namespace
}  // namespace npunet::packet_test

// Networks without dimensions, end to end at every fidelity.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "engine/collective_algorithms/implementation.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study::own_networks_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;

const std::string speeds = "bandwidth: 50, latency: 500";

/// One of each kind and routing, 6 to 18 NPUs.
std::vector<std::string> descriptions() {
    const std::string two =
        "FatTree: {levels: 2, radix: 6, npus: 12, oversubscription: 2, " + speeds + "}\n";
    const std::string three = "FatTree: {levels: 3, radix: 4, npus: 13, " + speeds + "}\n";
    const std::string dragonfly = "Dragonfly: {a: 3, p: 1, h: 1, groups: 4, " + speeds + "}\n";
    const std::string wide = "Dragonfly: {a: 2, p: 2, h: 2, groups: 3, " + speeds + "}\n";
    const std::string rail = "Rail: {servers: 4, npus_per_server: 3, scale_up: {kind: switch, " +
                             speeds + "}, scale_out: {levels: 2, radix: 4, " + speeds + "}}\n";
    const std::string clique =
        "Rail: {servers: 3, npus_per_server: 4, scale_up: {kind: "
        "fully-connected, " +
        speeds + "}, scale_out: {levels: 3, radix: 4, " + speeds + "}}\n";
    std::vector<std::string> all;
    for (const std::string& network : {two, three, rail, clique}) {
        all.push_back(network + "packet: {routing: up-down, buffer: 4160");
        all.push_back(network + "packet: {routing: ecmp, seed: 3, buffer: 4160");
    }
    for (const std::string& network : {dragonfly, wide}) {
        all.push_back(network + "packet: {buffer: 4160");
    }
    // A ring of six with a tail: unequal rates, parallel links, a switch.
    const std::string ring =
        "Custom:\n  nodes:\n"
        "    - {name: s, kind: switch}\n"
        "    - {name: a, kind: npu}\n    - {name: b, kind: npu}\n    - {name: c, kind: npu}\n"
        "    - {name: d, kind: npu}\n    - {name: e, kind: npu}\n    - {name: f, kind: npu}\n"
        "  links:\n"
        "    - {from: a, to: b, bandwidth: 50, latency: 500}\n"
        "    - {from: b, to: c, bandwidth: 25, latency: 100}\n"
        "    - {from: c, to: d, bandwidth: 50, latency: 500, count: 2}\n"
        "    - {from: d, to: e, bandwidth: 50, latency: 500}\n"
        "    - {from: e, to: s, bandwidth: 10, latency: 2us, count: 3}\n"
        "    - {from: s, to: a, bandwidth: 50, latency: 500}\n"
        "    - {from: s, to: f, bandwidth: 50, latency: 500}\n";
    for (const char* routing : {"auto", "balanced", "up-down", "shortest-path", "ecmp"}) {
        all.push_back(ring + "packet: {buffer: 4160, routing: " + routing);
    }
    return all;
}

Machine machine_of(const std::string& description) {
    const test::TemporaryFolder folder;
    return load_machine(folder.write("network.yml", description + "}\n").string(), "", "npunet",
                        "");
}

constexpr CollectiveType kinds[] = {
    CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter,
    CollectiveType::AllToAll,  CollectiveType::Broadcast, CollectiveType::Reduce,
    CollectiveType::Gather,    CollectiveType::Scatter,   CollectiveType::Barrier};

/// Of parallel links together: as planes they share packets, or bytes.
std::map<std::pair<NodeId, NodeId>, Bytes> payload_by_ends(
    const topology::NetworkDescription& network, const engine::Results& results) {
    std::map<std::pair<NodeId, NodeId>, Bytes> payload;
    for (std::size_t link = 0; link < results.links.size(); ++link) {
        const topology::Link& ends = network.graph.link(LinkId(link));
        payload[{ends.from, ends.to}] += results.links[link].payload;
    }
    return payload;
}

// With room for one packet per virtual channel anything that could wait in a cycle would: every
// collective runs to its end, by every algorithm, and all fidelities put the same payload on every
// link, which is the sum over the routes.
TEST(OwnNetworks, EveryCollectiveRunsToItsEndWithTheSmallestBuffers) {
    for (const std::string& description : descriptions()) {
        Machine machine = machine_of(description);
        const std::size_t npus = machine.network.graph.npus();
        for (const char* algorithm :
             {"ring", "direct", "halvingDoubling", "flat-doubleBinaryTree"}) {
            const engine::Implementation implementation = *engine::Implementation::named(algorithm);
            for (const CollectiveType kind : kinds) {
                for (std::size_t i = 0; i < machine.system.implementation_lists.size(); ++i) {
                    if (implementation.does(static_cast<engine::CollectiveKind>(i))) {
                        machine.system.implementation_lists[i] = {implementation};
                    }
                }
                const auto workload = test::workload_of(
                    npus, [&](Rank) { return std::vector{collective_node(1, kind, 50'000)}; });
                SCOPED_TRACE(description + ": " + algorithm + ", collective " +
                             std::to_string(static_cast<int>(kind)));
                const engine::Results packet = simulate(workload, machine, Fidelity::Packet);
                const engine::Results queues =
                    simulate(workload, machine, Fidelity::CongestionAware);
                const engine::Results quick = simulate(workload, machine, Fidelity::Analytical);
                EXPECT_GT(packet.finish, Time());
                EXPECT_GE(packet.finish, quick.finish);
                for (std::size_t link = 0; link < packet.links.size(); ++link) {
                    ASSERT_EQ(queues.links[link].payload, quick.links[link].payload);
                }
                ASSERT_EQ(payload_by_ends(machine.network, packet),
                          payload_by_ends(machine.network, quick));
            }
        }
    }
}

TEST(OwnNetworks, AreNotWhatTheReferenceDoes) {
    Machine machine =
        machine_of("Dragonfly: {a: 3, p: 1, h: 1, groups: 4, " + speeds + "}\npacket: {mtu: 4096");
    machine.dialect = engine::Dialect::named("astra-sim");
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::CongestionAware}) {
        EXPECT_THAT(test::message_of<InputError>([&] { check_fidelity(machine, fidelity); }),
                    testing::HasSubstr("Dragonfly with --dialect astra-sim"));
    }
}

}  // namespace
}  // namespace npunet::study::own_networks_test

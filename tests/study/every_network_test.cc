// Every collective on random networks of every kind with every routing on offer, at packet level
// with the smallest buffers: nothing is lost and nothing is stuck.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/collective_algorithms/implementation.h"
#include "study/simulation_run.h"
#include "tests/packet/random_networks.h"
#include "tests/support/random_faults.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study::every_network_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;

/// The largest, 256 NPUs.
struct Large {
    const char* text;
    const char* routing;
};
constexpr Large large[] = {
    {"topology: [Torus2D]\nnpus_count: [[16, 16]]\nbandwidth: [50]\nlatency: [500]\n", "auto"},
    {"topology: [Torus2D]\nnpus_count: [[16, 16]]\nbandwidth: [50]\nlatency: [500]\n", "adaptive"},
    {"topology: [Torus3D]\nnpus_count: [[4, 8, 8]]\nbandwidth: [50]\nlatency: [500]\n", "adaptive"},
    {"FatTree: {levels: 3, radix: 12, npus: 256, bandwidth: 50, latency: 500}\n", "ecmp"},
    {"FatTree: {levels: 3, radix: 12, npus: 256, bandwidth: 50, latency: 500}\n", "adaptive"},
    {"Dragonfly: {a: 8, p: 4, h: 1, groups: 8, bandwidth: 50, latency: 500}\n", "ugal"},
};

constexpr CollectiveType kinds[] = {
    CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter,
    CollectiveType::AllToAll,  CollectiveType::Broadcast, CollectiveType::Reduce,
    CollectiveType::Gather,    CollectiveType::Scatter,   CollectiveType::Barrier};

constexpr const char* algorithms[] = {"ring", "direct", "halvingDoubling", "oneDoubleBinaryTree"};

Machine machine_of(const std::string& network, const std::string& packet) {
    const test::TemporaryFolder folder;
    return load_machine(
        folder.write("network.yml", network + "packet: {" + packet + "}\n").string(), "", "npunet",
        "");
}

void use(Machine& machine, const char* algorithm) {
    const engine::Implementation implementation = *engine::Implementation::named(algorithm);
    for (std::size_t i = 0; i < machine.system.implementation_lists.size(); ++i) {
        if (implementation.does(static_cast<engine::CollectiveKind>(i))) {
            machine.system.implementation_lists[i] = {implementation};
        }
    }
}

/// By node: payload that came in less payload that went out.
std::vector<std::int64_t> taken_in(const topology::Graph& graph, const engine::Results& results) {
    std::vector<std::int64_t> balance(graph.nodes());
    for (std::size_t i = 0; i < graph.links(); ++i) {
        const topology::Link& link = graph.link(LinkId(i));
        balance[link.to.index()] += results.links[i].payload.value();
        balance[link.from.index()] -= results.links[i].payload.value();
    }
    return balance;
}

// A run that ends has delivered everything (a message that is missing is a StallError). Whatever
// the routes, by the links' accounts each node keeps what the messages to it bring and its own ones
// take, as in the estimate, and switches keep nothing; every packet has one header and none is sent
// twice.
void check(Machine& machine, CollectiveType kind, const char* algorithm, std::int64_t bytes) {
    use(machine, algorithm);
    const topology::Graph& graph = machine.network.graph;
    const auto workload = test::workload_of(
        graph.npus(), [&](Rank) { return std::vector{collective_node(1, kind, bytes)}; });
    RunOptions options;
    options.timeline = false;
    const engine::Results packet = simulate(workload, machine, Fidelity::Packet, options);
    const engine::Results quick = simulate(workload, machine, Fidelity::Analytical, options);
    const std::vector<std::int64_t> kept = taken_in(graph, packet);
    ASSERT_EQ(kept, taken_in(graph, quick));
    for (std::size_t node = graph.npus(); node < graph.nodes(); ++node) {
        ASSERT_EQ(kept[node], 0);
    }
    for (const engine::LinkResult& link : packet.links) {
        ASSERT_EQ(link.wire.value(),
                  link.payload.value() + static_cast<std::int64_t>(link.packets) *
                                             machine.network.packet.header.value());
        ASSERT_EQ(link.retransmissions, 0u);
    }
}

TEST(EveryNetwork, DeliversEveryCollectiveWithTheSmallestBuffers) {
    std::mt19937_64 random(6);
    constexpr int rounds = 12;
    for (const test::OfferedRouting& offer : test::offered_routings) {
        for (int round = 0; round < rounds; ++round) {
            const std::string text = packet_test::random_network_text(offer.kind, random);
            const std::string packet =
                std::string("mtu: 1000, header: 50, buffer: 1050, seed: ") + std::to_string(round) +
                ", routing: " + offer.routing +
                ", switching: " + (random() % 2 == 0 ? "store-and-forward" : "cut-through") +
                ", arbitration: " + (random() % 2 == 0 ? "round-robin" : "oldest");
            Machine machine = machine_of(text, packet);
            for (const CollectiveType kind : kinds) {
                const char* algorithm = algorithms[random() % 4];
                const auto bytes = static_cast<std::int64_t>(1 + random() % 60'000);
                SCOPED_TRACE(text + packet + ": " + algorithm + ", collective " +
                             std::to_string(static_cast<int>(kind)));
                check(machine, kind, algorithm, bytes);
                if (HasFatalFailure()) {
                    return;
                }
            }
        }
    }
}

TEST(EveryNetwork, Delivers256Npus) {
    for (const Large& one : large) {
        Machine machine =
            machine_of(one.text, std::string("buffer: 4160, routing: ") + one.routing);
        ASSERT_EQ(machine.network.graph.npus(), 256u);
        check(machine, CollectiveType::AllToAll, "direct", 256 * 3000);
        check(machine, CollectiveType::AllReduce, "ring", 256 * 5000);
    }
}

}  // namespace
}  // namespace npunet::study::every_network_test

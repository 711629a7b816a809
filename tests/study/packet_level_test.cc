// Packet level end to end: traces executed by the engine on the ns-3 module.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "as_machine.h"
#include "base/errors.h"
#include "generators/transformer/training_step.h"
#include "report/results/results_json.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/workloads.h"

namespace npunet::study::packet_level_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::receive_node;
using test::send_node;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr std::int64_t mtu = 4096;
constexpr std::int64_t header = 64;

/// h hops of equal links, n = ceil(bytes / mtu) packets, idle network, store and forward: the last
/// packet leaves after n - 1 full ones and is sent h times; the full ones before it are in its way
/// on the first link only: (n - 1) ser(full) + h (ser(last) + latency) when the last is full, and
/// (n + h - 2) ser(full) + ser(last) + h latency for n >= 2 in general: a short last packet catches
/// up with the full one before it on every further link.
Time message_time(std::int64_t bytes, std::int64_t hops) {
    const std::int64_t packets = std::max<std::int64_t>(1, (bytes + mtu - 1) / mtu);
    const Time full = transfer_time(Bytes(mtu + header), rate);
    const Time last = transfer_time(Bytes(bytes - (packets - 1) * mtu + header), rate);
    if (packets == 1) {
        return hops * (last + latency);
    }
    return (packets + hops - 2) * full + last + hops * latency;
}

// One message from rank 0 to each rank of a 4x4 mesh in turn: x + y hops.
TEST(PacketLevel, IdleMessagesTakeWhatTheArithmeticSays) {
    const Machine machine = as_machine(test::mesh_machine(4, 4, rate, latency));
    for (const std::int64_t bytes : {0, 1, 4095, 4096, 4097, 8192, 100'000, 1'000'003}) {
        for (std::int32_t to = 1; to < 16; ++to) {
            const engine::Results results =
                simulate(test::workload_of(16,
                                           [&](Rank rank) {
                                               std::vector<chakra::Node> nodes;
                                               if (rank == Rank(0)) {
                                                   nodes.push_back(send_node(1, to, bytes));
                                               } else if (rank == Rank(to)) {
                                                   nodes.push_back(receive_node(1, 0, bytes));
                                               }
                                               return nodes;
                                           }),
                         machine, Fidelity::Packet);
            const std::int64_t hops = to % 4 + to / 4;
            ASSERT_EQ(results.npus[static_cast<std::size_t>(to)].finish, message_time(bytes, hops))
                << bytes << " bytes to " << to;
        }
    }
}

// Ring all-reduce of S bytes on a ring of n NPUs, n dividing S: 2 (n - 1) steps of S/n over one hop
// each. Against the estimate a step is longer by its headers: the analytical step is
// ser(S/n) + latency without headers, the packet step message_time(S/n, 1).
TEST(PacketLevel, RingAllReduceOnItsRing) {
    for (const std::int64_t n : {2, 3, 4, 8, 16}) {
        for (const std::int64_t part : {1, 4096, 5000, 65536}) {
            const Machine machine = as_machine(test::ring_machine(n, rate, latency));
            const engine::Workload workload =
                test::workload_of(static_cast<std::size_t>(n), [&](Rank) {
                    return std::vector{collective_node(1, CollectiveType::AllReduce, n * part)};
                });
            const engine::Results packet = simulate(workload, machine, Fidelity::Packet);
            const engine::Results quick = simulate(workload, machine, Fidelity::Analytical);
            EXPECT_EQ(packet.finish, 2 * (n - 1) * message_time(part, 1));
            const Time headers =
                message_time(part, 1) - (transfer_time(Bytes(part), rate) + latency);
            EXPECT_EQ(packet.finish - quick.finish, 2 * (n - 1) * headers);
        }
    }
}

// Every pair exchanges its own number of bytes: the payload on each link must be the sum over the
// routes that cross it, at either fidelity, and the wire bytes add one header per packet.
TEST(PacketLevel, LinkBytesAreTheSumOverRoutes) {
    constexpr std::int32_t ranks = 12;
    for (const test::TestMachine& made :
         {test::mesh_machine(4, 3, rate, latency), test::torus_machine(4, 3, rate, latency)}) {
        const Machine machine = as_machine(made);
        const auto bytes_of = [](std::int32_t from, std::int32_t to) {
            return std::int64_t{1000} * from + 7919 * to + 1;
        };
        const engine::Workload workload = test::workload_of(ranks, [&](Rank rank) {
            std::vector<chakra::Node> nodes;
            for (std::int32_t other = 0; other < ranks; ++other) {
                if (other != rank.value()) {
                    const auto id = static_cast<std::uint64_t>(other);
                    nodes.push_back(send_node(id, other, bytes_of(rank.value(), other)));
                    nodes.push_back(receive_node(id + ranks, other, bytes_of(other, rank.value())));
                }
            }
            return nodes;
        });
        std::vector<Bytes> payload(machine.network.graph.links());
        std::vector<Bytes> wire(machine.network.graph.links());
        std::uint64_t hops = 0;
        for (std::int32_t from = 0; from < ranks; ++from) {
            for (std::int32_t to = 0; to < ranks; ++to) {
                for (const topology::Hop& hop : machine.network.route(NodeId(from), NodeId(to))) {
                    const std::int64_t bytes = bytes_of(from, to);
                    const std::int64_t packets = (bytes + mtu - 1) / mtu;
                    payload[hop.link.index()] += Bytes(bytes);
                    wire[hop.link.index()] += Bytes(bytes + packets * header);
                    hops += static_cast<std::uint64_t>(packets);
                }
            }
        }
        const engine::Results packet = simulate(workload, machine, Fidelity::Packet);
        const engine::Results quick = simulate(workload, machine, Fidelity::Analytical);
        EXPECT_EQ(packet.packet_hops, hops);
        for (std::size_t link = 0; link < payload.size(); ++link) {
            EXPECT_EQ(packet.links[link].payload, payload[link]);
            EXPECT_EQ(packet.links[link].wire, wire[link]);
            EXPECT_EQ(quick.links[link].payload, payload[link]);
            EXPECT_LE(packet.links[link].utilization_percent, 100.0);
        }
    }
}

// 2^63 ps are 106 days. Links of 10^6 s latency reach them after nine exchanges: that is an error
// that names the clock, not a time that has wrapped.
TEST(PacketLevel, TheEndOfTheClockIsAnError) {
    const Machine machine =
        as_machine(test::ring_machine(8, rate, Time::ns(1'000'000'000'000'000)));
    const engine::Workload workload = test::workload_of(8, [](Rank) {
        return std::vector{collective_node(1, CollectiveType::AllReduce, 8 * 4096)};
    });
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Packet}) {
        EXPECT_THROW(static_cast<void>(simulate(workload, machine, fidelity)), StallError);
    }
}

/// A training step on 16 NPUs with every kind of communication that the generator knows.
engine::Workload training_step(const Machine& machine) {
    generators::ModelSpec model = generators::dense_model(
        {.hidden = 256, .layers = 4, .heads = 8, .ffn = 512, .vocab = 1024, .seq = 64});
    model.name = "small";
    generators::Plan plan;
    plan.dp = 2;
    plan.tp = 2;
    plan.cp = 2;
    plan.pp = 2;
    plan.batch = 8;
    plan.micro_batch = 1;
    return workload_from(generators::generate(model, plan), workload_options(machine));
}

std::string without_performance(const engine::Results& results) {
    nlohmann::json document = nlohmann::json::parse(report::results_json(results));
    document.erase("performance");
    return document.dump();
}

// The order in which simultaneous events are inserted is no input: neither a second run nor one
// with shuffled insertions may change anything but the performance block.
TEST(PacketLevel, RunsAreIdenticalAlsoWithShuffledInsertions) {
    test::TestMachine made = test::mesh_machine(4, 4, rate, latency);
    made.system.roofline = true;
    made.system.compute = {312, 2039};
    made.system.preferred_dataset_splits = 4;
    const Machine machine = as_machine(made);
    const engine::Workload workload = training_step(machine);
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Packet}) {
        const std::string first = without_performance(simulate(workload, machine, fidelity));
        EXPECT_EQ(first, without_performance(simulate(workload, machine, fidelity)));
        RunOptions shuffled;
        shuffled.fold = false;
        for (const std::uint64_t seed : {1, 2, 3}) {
            shuffled.shuffle_seed = seed;
            EXPECT_EQ(first, without_performance(simulate(workload, machine, fidelity, shuffled)));
        }
    }
}

// finish = compute + exposed communication + exposed memory + idle for every NPU of a whole step.
TEST(PacketLevel, PartsOfATrainingStepSumToItsFinish) {
    test::TestMachine made = test::torus_machine(4, 4, rate, latency);
    made.system.roofline = true;
    made.system.compute = {312, 2039};
    const Machine machine = as_machine(made);
    const engine::Workload workload = training_step(machine);
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::Packet}) {
        const engine::Results results = simulate(workload, machine, fidelity);
        for (const engine::NpuResult& npu : results.npus) {
            EXPECT_EQ(npu.finish,
                      npu.compute + npu.exposed_communication + npu.exposed_memory + npu.idle);
        }
    }
}

}  // namespace
}  // namespace npunet::study::packet_level_test

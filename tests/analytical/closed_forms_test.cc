#include <gtest/gtest.h>

#include "engine/simulation/simulation.h"
#include "tests/support/machines.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::closed_forms_test {
namespace {

using chakra::CollectiveType;
using test::collective_node;
using test::compute_node;
using test::receive_node;
using test::run;
using test::send_node;

engine::Results run_collective(CollectiveType type, std::int64_t bytes,
                               const test::TestMachine& machine) {
    return run(
        test::workload_of(machine.network.graph.npus(),
                          [&](Rank) { return std::vector{collective_node(1, type, bytes)}; }),
        machine);
}

constexpr std::int64_t rate = 50'000'000'000;
constexpr Time latency = Time::ns(500);

// On its own ring of n NPUs with S divisible by n every step moves S/n over one link in
// t = ceil(S/n x 10^12 / rate) + latency; nothing is shared. Ring: all-reduce 2 (n - 1) t,
// reduce-scatter and all-gather of a result of S bytes (n - 1) t. The all-to-all moves n - 1 - s
// blocks of S/n in step s.
TEST(CongestionUnaware, RingCollectivesOnTheirRing) {
    for (const std::int64_t n : {2, 3, 4, 8, 24}) {
        const test::TestMachine machine = test::ring_machine(n, Rate(rate), latency);
        for (const std::int64_t part : {1, 4096, 1'000'003}) {
            const std::int64_t size = n * part;
            const Time step = transfer_time(Bytes(part), Rate(rate)) + latency;
            EXPECT_EQ(run_collective(CollectiveType::AllReduce, size, machine).finish,
                      2 * (n - 1) * step);
            EXPECT_EQ(run_collective(CollectiveType::ReduceScatter, size, machine).finish,
                      (n - 1) * step);
            EXPECT_EQ(run_collective(CollectiveType::AllGather, part, machine).finish,
                      (n - 1) * step);
            Time all_to_all;
            for (std::int64_t blocks = n - 1; blocks > 0; --blocks) {
                all_to_all += transfer_time(Bytes(blocks * part), Rate(rate)) + latency;
            }
            EXPECT_EQ(run_collective(CollectiveType::AllToAll, size, machine).finish, all_to_all);
        }
    }
}

// What is gathered or exchanged is not reduced: the memory's bandwidth does not matter.
TEST(CongestionUnaware, DirectGathersReduceNothing) {
    for (const CollectiveType type : {CollectiveType::AllGather, CollectiveType::AllToAll}) {
        test::TestMachine machine =
            test::line_machine(topology::DimensionKind::FullyConnected, 5, Rate(rate), latency);
        machine.use(engine::Algorithm::Direct);
        const Time without = run_collective(type, 1'000'000, machine).finish;
        machine.system.compute.memory_bandwidth = 1600;
        EXPECT_EQ(run_collective(type, 1'000'000, machine).finish, without);
    }
}

// Reductions cost 3 m / memory bandwidth each: n - 1 of them in an all-reduce, none in an
// all-gather. The endpoint delay E is paid once at the start and once for every reception.
TEST(CongestionUnaware, ReductionsAndEndpointDelays) {
    constexpr std::int64_t n = 8;
    constexpr std::int64_t part = 1'000'000;
    test::TestMachine machine = test::ring_machine(n, Rate(rate), latency);
    machine.system.compute.memory_bandwidth = 1600;
    machine.system.endpoint_delay = Time::ns(10);
    const Time step =
        transfer_time(Bytes(part), Rate(rate)) + latency + machine.system.endpoint_delay;
    const Time reduction = transfer_time(Bytes(3 * part), Rate(1'600'000'000'000));
    EXPECT_EQ(run_collective(CollectiveType::AllReduce, n * part, machine).finish,
              machine.system.endpoint_delay + 2 * (n - 1) * step + (n - 1) * reduction);
    EXPECT_EQ(run_collective(CollectiveType::AllGather, part, machine).finish,
              machine.system.endpoint_delay + (n - 1) * step);
}

// Fully connected, direct: every pair has its own link, so a round costs one message of S/n. On a
// switch the n - 1 messages of an NPU follow each other on its one link: the last one leaves after
// (n - 2) message times and arrives a message time and two latencies later.
TEST(CongestionUnaware, DirectOnFullyConnectedAndSwitch) {
    for (const std::int64_t n : {2, 3, 8}) {
        constexpr std::int64_t part = 65536;
        const Time message = transfer_time(Bytes(part), Rate(rate));
        test::TestMachine full =
            test::line_machine(topology::DimensionKind::FullyConnected, n, Rate(rate), latency);
        full.use(engine::Algorithm::Direct);
        EXPECT_EQ(run_collective(CollectiveType::AllToAll, n * part, full).finish,
                  message + latency);
        EXPECT_EQ(run_collective(CollectiveType::AllReduce, n * part, full).finish,
                  2 * (message + latency));
        test::TestMachine star =
            test::line_machine(topology::DimensionKind::Switch, n, Rate(rate), latency);
        star.use(engine::Algorithm::Direct);
        EXPECT_EQ(run_collective(CollectiveType::AllToAll, n * part, star).finish,
                  (n - 1) * message + 2 * latency);
    }
}

// Four senders to one NPU through a switch: its one incoming link takes them one after another.
TEST(CongestionUnaware, MessagesToOnePortQueue) {
    const test::TestMachine machine =
        test::line_machine(topology::DimensionKind::Switch, 5, Rate(rate), latency);
    const engine::Results results = run(
        test::workload_of(5,
                          [](Rank rank) {
                              if (rank == Rank(0)) {
                                  return std::vector{
                                      receive_node(1, 1, 1'000'000), receive_node(2, 2, 1'000'000),
                                      receive_node(3, 3, 1'000'000), receive_node(4, 4, 1'000'000)};
                              }
                              return std::vector{send_node(1, 0, 1'000'000)};
                          }),
        machine);
    EXPECT_EQ(results.finish, 4 * transfer_time(Bytes(1'000'000), Rate(rate)) + 2 * latency);
}

// Rank 0 computes 100 us, then sends 1 MB (20 us on the wire); rank 1 posts its receive at 0. In
// the npunet dialect rank 1 is idle for 100 us and communicates for 20 us and the latency; rank 0's
// send ends when its last byte has left.
TEST(CongestionUnaware, WaitingReceiveIsIdle) {
    const test::TestMachine machine = test::ring_machine(2, Rate(rate), latency);
    const engine::Results results =
        run(test::workload_of(2,
                              [](Rank rank) {
                                  return rank == Rank(0)
                                             ? std::vector{compute_node(1, 100),
                                                           send_node(2, 1, 1'000'000, 0, {1})}
                                             : std::vector{receive_node(1, 0, 1'000'000)};
                              }),
            machine);
    const Time compute = Time::ns(100'000);
    const Time wire = Time::ns(20'000);
    EXPECT_EQ(results.npus[0].finish, compute + wire);
    EXPECT_EQ(results.npus[0].compute, compute);
    EXPECT_EQ(results.npus[0].exposed_communication, wire);
    EXPECT_EQ(results.npus[1].finish, compute + wire + latency);
    EXPECT_EQ(results.npus[1].exposed_communication, wire + latency);
    EXPECT_EQ(results.npus[1].idle, compute);
}

// Dimension by dimension on a w x h torus with S divisible by w h: reduce-scatter and all-gather
// along x move S/w per step, the all-reduce along y moves S/(w h).
TEST(CongestionUnaware, AllReduceByDimensions) {
    constexpr std::int64_t w = 4;
    constexpr std::int64_t h = 3;
    constexpr std::int64_t size = w * h * 10'000;
    const test::TestMachine machine = test::torus_machine(w, h, Rate(rate), latency);
    const Time along_x = transfer_time(Bytes(size / w), Rate(rate)) + latency;
    const Time along_y = transfer_time(Bytes(size / (w * h)), Rate(rate)) + latency;
    EXPECT_EQ(run_collective(CollectiveType::AllReduce, size, machine).finish,
              2 * (w - 1) * along_x + 2 * (h - 1) * along_y);
}

// Chunks add up to the message whatever the division: 1 000 003 bytes in 7 chunks on a ring of 4
// put S - (parts not sent) on every link, in total 2 (n - 1) S over all links.
TEST(CongestionUnaware, ChunksAddUp) {
    test::TestMachine machine = test::ring_machine(4, Rate(rate), latency);
    machine.system.preferred_dataset_splits = 7;
    machine.system.active_chunks_per_dimension = 3;
    const engine::Results results = run_collective(CollectiveType::AllReduce, 1'000'003, machine);
    Bytes total;
    for (const engine::LinkResult& link : results.links) {
        total += link.payload;
    }
    EXPECT_EQ(total, Bytes(2 * 3 * 1'000'003));
}

}  // namespace
}  // namespace npunet::closed_forms_test

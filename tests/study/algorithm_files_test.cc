// Collectives that follow files, at every fidelity.

#include <gtest/gtest.h>

#include "engine/collective_files/read_algorithm.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/msccl_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/workloads.h"

namespace npunet::study::algorithm_files_test {
namespace {

using chakra::CollectiveType;
using engine::CollectiveKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

Machine machine_with(const test::XmlAlgorithm& algorithm, CollectiveKind kind) {
    const test::TestMachine made =
        test::line_machine(topology::DimensionKind::FullyConnected,
                           static_cast<std::int64_t>(algorithm.gpus.size()), rate, latency);
    Machine machine;
    machine.dialect = made.dialect;
    machine.network = made.network;
    const test::TemporaryFolder folder;
    engine::FileChoices& choices = machine.system.files(kind);
    choices.list.emplace_back();
    choices.list.front().algorithm =
        engine::read_algorithm(folder.write("made.xml", algorithm.text()).string(), kind);
    return machine;
}

engine::Results run_at(Fidelity fidelity, const Machine& machine, CollectiveType type,
                       std::int64_t bytes) {
    return simulate(
        test::workload_of(machine.network.graph.npus(),
                          [&](Rank) { return std::vector{test::collective_node(1, type, bytes)}; }),
        machine, fidelity);
}

std::int64_t payload_of(const engine::Results& results) {
    std::int64_t sum = 0;
    for (const engine::LinkResult& link : results.links) {
        sum += link.payload.value();
    }
    return sum;
}

// Each link carries what the algorithm sends over it, and no other bytes; the finish is not before
// the bound, and packets, with their headers, do not come before messages without.
TEST(AlgorithmFiles, RunAtEveryFidelity) {
    struct Case {
        test::XmlAlgorithm algorithm;
        CollectiveType type;
        CollectiveKind kind;
        std::int64_t moved;  ///< times the collective's size
    };
    for (const Case& one :
         {Case{test::ring_all_reduce(4, "Simple", 2), CollectiveType::AllReduce,
               CollectiveKind::AllReduce, 6},
          Case{test::all_pairs_all_reduce(4, "LL"), CollectiveType::AllReduce,
               CollectiveKind::AllReduce, 6},
          Case{test::hierarchical_all_reduce(), CollectiveType::AllReduce,
               CollectiveKind::AllReduce, 6},
          Case{test::ring_all_gather(4), CollectiveType::AllGather, CollectiveKind::AllGather, 12},
          Case{test::all_to_all(4), CollectiveType::AllToAll, CollectiveKind::AllToAll, 3}}) {
        constexpr std::int64_t size = 1'000'003;
        const Machine machine = machine_with(one.algorithm, one.kind);
        Time estimate;
        for (const Fidelity fidelity :
             {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Packet}) {
            SCOPED_TRACE(one.algorithm.name + " " + std::to_string(static_cast<int>(fidelity)));
            const engine::Results results = run_at(fidelity, machine, one.type, size);
            EXPECT_EQ(payload_of(results), one.moved * size);
            EXPECT_EQ(results.collectives.at(0).algorithm, one.algorithm.name);
            EXPECT_GE(results.finish, results.collectives.at(0).least);
            EXPECT_EQ(results.simulated_npus, 4U);
            if (fidelity == Fidelity::Analytical) {
                estimate = results.finish;
            } else {
                EXPECT_GE(results.finish, estimate);
            }
        }
    }
}

// A ring from a file takes at every fidelity what the built-in one takes.
TEST(AlgorithmFiles, ARingTakesWhatTheBuiltInRingTakes) {
    const Machine file = machine_with(test::ring_all_reduce(4), CollectiveKind::AllReduce);
    Machine built_in = file;
    built_in.system.files(CollectiveKind::AllReduce) = engine::FileChoices();
    for (const Fidelity fidelity :
         {Fidelity::Analytical, Fidelity::CongestionAware, Fidelity::Packet}) {
        for (const std::int64_t size : {4001, 2'000'000}) {
            EXPECT_EQ(run_at(fidelity, file, CollectiveType::AllReduce, size).finish,
                      run_at(fidelity, built_in, CollectiveType::AllReduce, size).finish)
                << static_cast<int>(fidelity) << " " << size;
        }
    }
}

}  // namespace
}  // namespace npunet::study::algorithm_files_test

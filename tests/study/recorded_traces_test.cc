// Recorded traces of other projects, executed at both fidelities.

#include <gtest/gtest.h>

#include <filesystem>

#include "chakra/trace/comm_groups.h"
#include "packet/make_packet_network.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::study::recorded_traces_test {
namespace {

namespace fs = std::filesystem;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);

std::vector<Fidelity> fidelities() {
    return {Fidelity::Analytical, Fidelity::Packet};
}

Machine ring_of(std::int64_t npus) {
    const test::TestMachine made = test::ring_machine(npus, rate, latency);
    Machine machine;
    machine.dialect = made.dialect;
    machine.network = made.network;
    return machine;
}

// An all-reduce of 1 MiB over 8 NPUs given as explicit sends, receives and 1 us computes: 14 steps
// of 128 KiB, each over one link of the ring; at packet level 32 packets of 4096 + 64 bytes a step.
// Of every step the message is exposed; the rest of the time the NPU computes.
TEST(RecordedTraces, CustomRingAllReduce) {
    const fs::path folder = fs::path(NPUNET_SHARED_DIR) /
                            "data/chakra/et/astra-sim+astra-sim/examples/system/"
                            "custom_collectives/custom_ring_allreduce_8npus_1MB";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const Machine machine = ring_of(8);
    const engine::Workload workload =
        load_workload_for(machine, (folder / "custom_allreduce").string(), "");
    for (const Fidelity fidelity : fidelities()) {
        const std::int64_t wire = fidelity == Fidelity::Packet ? 32 * (4096 + 64) : 131072;
        const Time step = transfer_time(Bytes(wire), rate) + latency;
        const engine::Results results = simulate(workload, machine, fidelity);
        for (const engine::NpuResult& npu : results.npus) {
            EXPECT_EQ(npu.finish - npu.compute, 14 * step);
            EXPECT_EQ(npu.exposed_communication, 14 * step);
        }
        for (const engine::LinkResult& link : results.links) {
            const bool clockwise = link.payload > Bytes(0);
            EXPECT_EQ(link.payload, clockwise ? Bytes(14 * 131072) : Bytes(0));
        }
    }
}

// A profiled training step of two GPUs: 1634 nodes a rank, one all-reduce on each of two
// communicators. The recorded durations of a rank run one after another or beside each other, so it
// computes at most their sum and at least the longest.
TEST(RecordedTraces, ProfiledDataParallelStep) {
    const fs::path folder = fs::path(NPUNET_SHARED_DIR) /
                            "data/chakra/et/EricDinging+astra-sim-hybrid-parallelism/examples/"
                            "test-1-comm-group";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    const test::TemporaryFolder made;
    const fs::path groups = made / "groups.json";
    chakra::write_comm_groups(groups, {{"1", {Rank(0), Rank(1)}}, {"2", {Rank(0), Rank(1)}}});
    const Machine machine = ring_of(2);
    const engine::Workload workload =
        load_workload_for(machine, (folder / "chakra_trace").string(), groups.string());
    for (const Fidelity fidelity : fidelities()) {
        const engine::Results results = simulate(workload, machine, fidelity);
        ASSERT_EQ(results.npus.size(), 2U);
        EXPECT_EQ(results.collectives.size(), 2U);
        for (const engine::NpuResult& npu : results.npus) {
            Time sum;
            for (const engine::ProgramOperation& operation :
                 workload.program(npu.rank).operations) {
                if (operation.kind == engine::OperationKind::Compute ||
                    operation.kind == engine::OperationKind::Cpu) {
                    sum += operation.recorded;
                    EXPECT_GE(npu.compute, operation.recorded);
                }
            }
            EXPECT_LE(npu.compute, sum);
            EXPECT_EQ(npu.finish, npu.compute + npu.exposed_communication + npu.idle);
        }
    }
}

}  // namespace
}  // namespace npunet::study::recorded_traces_test

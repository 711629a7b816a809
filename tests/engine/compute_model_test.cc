// Compute times against closed forms: roofline, ours and the reference's, recorded times, slow
// NPUs.

#include "engine/machine/compute_model.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "tests/support/machines.h"

namespace npunet::engine::compute_model_test {
namespace {

/// Two NPUs of 2 TFLOP/s and 100 GB/s.
test::TestMachine machine_of(const char* dialect, bool roofline = true) {
    test::TestMachine machine = test::ring_machine(2, Rate(50'000'000'000), Time::ns(500));
    machine.dialect = Dialect::named(dialect);
    machine.system.roofline = roofline;
    machine.system.compute = {2, 100};
    return machine;
}

ProgramOperation operation(std::int64_t operations, std::int64_t bytes, Time recorded = Time()) {
    ProgramOperation made;
    made.operations = operations;
    made.bytes = Bytes(bytes);
    made.recorded = recorded;
    return made;
}

ComputeCost cost(const test::TestMachine& machine, const ProgramOperation& operation,
                 Rank rank = Rank(0)) {
    return ComputeModel(machine.system, machine.dialect, machine.network, 2)
        .cost(rank, 7, operation);
}

// A million operations take 500 ns, 100 000 bytes 1000.
TEST(ComputeModel, RooflineIsTheSlowerOfBoth) {
    const test::TestMachine machine = machine_of("npunet");
    const ComputeCost memory = cost(machine, operation(1'000'000, 100'000));
    EXPECT_EQ(memory.duration, Time::ns(1000));
    EXPECT_FALSE(memory.compute_bound);
    EXPECT_DOUBLE_EQ(memory.peak_share, 0.5);
    EXPECT_DOUBLE_EQ(memory.bandwidth_share, 1);
    EXPECT_DOUBLE_EQ(memory.intensity, 10);
    const ComputeCost compute = cost(machine, operation(1'000'000, 1));
    EXPECT_EQ(compute.duration, Time::ns(500));
    EXPECT_TRUE(compute.compute_bound);
    EXPECT_DOUBLE_EQ(compute.intensity, 1'000'000);
}

// No operations are a number of operations, too: only where it is not given is the time recorded.
TEST(ComputeModel, RecordedTimesAreForWhatIsNotGiven) {
    const Time recorded = Time::ns(77);
    EXPECT_EQ(cost(machine_of("npunet"), operation(0, 100'000, recorded)).duration, Time::ns(1000));
    EXPECT_EQ(cost(machine_of("npunet"), operation(-1, 100'000, recorded)).duration, recorded);
    EXPECT_EQ(cost(machine_of("npunet", false), operation(5, 100'000, recorded)).duration,
              recorded);
}

TEST(ComputeModel, OperationsAloneNeedRates) {
    const test::TestMachine machine = machine_of("npunet", false);
    EXPECT_THROW((void)cost(machine, operation(1, 0)), InputError);
    EXPECT_EQ(cost(machine, operation(0, 0)).duration, Time());
}

// The reference: performance is the smaller of bandwidth x intensity and the peak, and times are
// whole nanoseconds. 1 000 003 operations on 100 000 bytes: 10.00003 a byte, 1.000003 TFLOP/s.
TEST(ComputeModel, RooflineOfTheReference) {
    const test::TestMachine machine = machine_of("astra-sim");
    const ComputeCost memory = cost(machine, operation(1'000'003, 100'000));
    EXPECT_EQ(memory.duration, Time::ns(1000));
    EXPECT_FALSE(memory.compute_bound);
    EXPECT_DOUBLE_EQ(memory.peak_share, 1.000003 / 2);
    EXPECT_DOUBLE_EQ(memory.bandwidth_share, 1);
    EXPECT_DOUBLE_EQ(memory.intensity, 10.00003);
    const ComputeCost compute = cost(machine, operation(1'000'003, 1000));
    EXPECT_EQ(compute.duration, Time::ns(500));
    EXPECT_TRUE(compute.compute_bound);
    EXPECT_DOUBLE_EQ(compute.peak_share, 1);
    // 2 TFLOP/s at 1000.003 operations a byte are 1999.994 MB/s, of 100 GB/s.
    EXPECT_NEAR(compute.bandwidth_share, 0.01999994, 1e-8);
}

// Without operations it takes no time; with one it does, if less than a nanosecond.
TEST(ComputeModel, LeastWorkOfTheReference) {
    const test::TestMachine machine = machine_of("astra-sim");
    const ComputeCost none = cost(machine, operation(0, 1000));
    EXPECT_EQ(none.intensity, 0);
    EXPECT_EQ(none.peak_share, 0);
    EXPECT_EQ(none.duration, Time());
    EXPECT_EQ(cost(machine, operation(-1, 1000)).intensity, 0);
    const ComputeCost one = cost(machine, operation(1, 1000));
    EXPECT_DOUBLE_EQ(one.intensity, 0.001);
    EXPECT_DOUBLE_EQ(one.bandwidth_share, 1);
    EXPECT_EQ(one.duration, Time::ns(10));
}

TEST(ComputeModel, TheReferenceSkipsWhatHasNoBytes) {
    const auto skips = [](const test::TestMachine& machine, std::int64_t bytes) {
        return ComputeModel(machine.system, machine.dialect, machine.network, 2)
            .skipped(operation(5, bytes));
    };
    EXPECT_TRUE(skips(machine_of("astra-sim"), 0));
    EXPECT_FALSE(skips(machine_of("astra-sim"), 1));
    EXPECT_FALSE(skips(machine_of("astra-sim", false), 0));
    EXPECT_FALSE(skips(machine_of("npunet"), 0));
}

// Slowdowns are of NPUs, whatever their number and the rank on them.
TEST(ComputeModel, SlowNpus) {
    for (const std::int32_t slow : {0, 1}) {
        test::TestMachine machine = machine_of("npunet");
        machine.network.npu_of_rank = {NodeId(1), NodeId(0)};
        machine.network.faults.npus = {{NodeId(slow), topology::Factor{3 * topology::Factor::one}}};
        const ProgramOperation work = operation(1'000'000, 100'000);
        EXPECT_EQ(cost(machine, work, Rank(1 - slow)).duration, Time::ns(3000));
        EXPECT_EQ(cost(machine, work, Rank(slow)).duration, Time::ns(1000));
    }
}

}  // namespace
}  // namespace npunet::engine::compute_model_test

// Recorded durations moved to another device against closed forms.
//
//     moved = recorded x time on the device / time on the one recorded on

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/errors.h"
#include "engine/device/device_profile.h"
#include "engine/device/stack_profile.h"
#include "engine/machine/compute_model.h"
#include "engine/machine/named_profiles.h"
#include "engine/machine/system_config.h"
#include "engine/npu/statistics.h"
#include "ideal_device.h"
#include "tests/support/machines.h"
#include "tests/support/temporary_folder.h"

namespace npunet::engine::recorded_on_test {
namespace {

/// Each further launch takes 2 us.
DeviceProfile device_of(const char* name, double tflops, double gb_s, MemoryRates memory) {
    DeviceProfile device = ideal_device(name, tflops, gb_s, memory);
    device.launch_us = 2;
    return device;
}

const DeviceProfile old_device = device_of("old", 10, 1000, {0.5, 2});
const DeviceProfile new_device = device_of("new", 40, 2000, {1, 1});

ProgramOperation recorded_for(Time duration) {
    ProgramOperation operation;
    operation.operations = -1;
    operation.recorded = duration;
    return operation;
}

/// A tile on each multiprocessor: 200 us on the old device, 50 us on the new one.
ProgramOperation product(Time duration) {
    ProgramOperation operation = recorded_for(duration);
    operation.kernel = std::make_shared<const KernelCall>(
        KernelCall{Kernel::Matmul, DataType::Bf16, false, 1, {1, 100, 1000, 10'000}});
    return operation;
}

/// Of 10^6 bytes: 4 us on the old device, 1.5 us on the new one.
ProgramOperation norm(Time duration, std::int64_t bytes = 1'000'000) {
    ProgramOperation operation = recorded_for(duration);
    operation.bytes = Bytes(bytes);
    operation.kernel =
        std::make_shared<const KernelCall>(KernelCall{Kernel::Norm, DataType::Bf16, false, 1, {}});
    return operation;
}

class RecordedOn : public testing::Test {
protected:
    RecordedOn() { move(old_device, new_device); }

    void move(const DeviceProfile& from, const DeviceProfile& to) {
        machine_.system.recorded_on = std::make_shared<const DeviceProfile>(from);
        machine_.system.device = std::make_shared<const DeviceProfile>(to);
        machine_.system.compute = roofline_rate(to);
        machine_.system.roofline = true;
    }

    [[nodiscard]] ComputeModel model() const {
        return {machine_.system, machine_.dialect, machine_.network, 2};
    }

    [[nodiscard]] Time moved(const ProgramOperation& operation) const {
        return model().cost(Rank(0), 7, operation).duration;
    }

    [[nodiscard]] bool stays(const ProgramOperation& operation) const {
        return model().stays_recorded(Rank(0), operation);
    }

    test::TestMachine machine_ = test::ring_machine(2, Rate(50'000'000'000), Time::ns(500));
};

TEST_F(RecordedOn, KernelsMoveByTheRatioOfTheirTimes) {
    EXPECT_EQ(moved(product(Time::ns(240'000))), Time::ns(60'000));
    EXPECT_EQ(moved(norm(Time::ns(8'000))), Time::ns(3'000));
    // 5 x 1.5 / 4 ps
    EXPECT_EQ(moved(norm(Time::ps(5))), Time::ps(2));
    ProgramOperation several = norm(Time::ns(12'000));
    several.kernel =
        std::make_shared<const KernelCall>(KernelCall{Kernel::Norm, DataType::Bf16, false, 2, {}});
    EXPECT_EQ(moved(several), Time::ns(7'000)) << "12 x (1.5 + 2) / (4 + 2)";
    ProgramOperation part = norm(Time::ns(8'000));
    part.kernel =
        std::make_shared<const KernelCall>(KernelCall{Kernel::Norm, DataType::Bf16, false, 0, {}});
    EXPECT_EQ(moved(part), Time::ns(3'000)) << "of another node's kernel: as that one";
}

TEST_F(RecordedOn, ADeviceKeepsItsOwnTimesToTheBit) {
    move(old_device, old_device);
    for (const Time duration :
         {Time::ps(1), Time::ps(123'457), Time::ps(8'999'999'999'999'999'999)}) {
        EXPECT_EQ(moved(product(duration)), duration);
        EXPECT_EQ(moved(norm(duration)), duration);
        EXPECT_EQ(moved(recorded_for(duration)), duration);
        ProgramOperation work = recorded_for(duration);
        work.operations = 12'345;
        work.bytes = Bytes(67'891);
        EXPECT_EQ(moved(work), duration);
        EXPECT_FALSE(stays(work));
    }
}

// The inverse ratio; each of the two is rounded to a picosecond.
TEST_F(RecordedOn, ThereAndBackIsTheSameToRounding) {
    for (const std::int64_t ps : {1'000'003, 7'654'321, 123'456'789}) {
        move(old_device, new_device);
        const Time there = moved(norm(Time::ps(ps)));
        const Time product_there = moved(product(Time::ps(ps)));
        EXPECT_NE(there, Time::ps(ps));
        move(new_device, old_device);
        EXPECT_NEAR(static_cast<double>(moved(norm(there)).ps()), static_cast<double>(ps), 2);
        EXPECT_NEAR(static_cast<double>(moved(product(product_there)).ps()),
                    static_cast<double>(ps), 3);
    }
}

// Without a kernel by rooflines: old 10 TFLOP/s and 1000 GB/s, new 40 and 2000.
TEST_F(RecordedOn, OperationsMoveByTheRatioOfRooflines) {
    ProgramOperation work = recorded_for(Time::ns(1'000));
    work.bytes = Bytes(1'000);
    work.operations = 0;
    EXPECT_EQ(moved(work), Time::ns(500)) << "memory limits both";
    work.operations = 1'000'000;
    EXPECT_EQ(moved(work), Time::ns(250)) << "the peak limits both";
    work.operations = 15'000;
    EXPECT_EQ(moved(work), Time::ps(333'333)) << "1.5 ns by the peak, 0.5 ns by memory";
    EXPECT_FALSE(stays(work));
    EXPECT_EQ(machine_.system.compute.peak_tflops, 40);
    machine_.system.compute.peak_tflops = 20;  // the system's own peak-perf
    work.operations = 1'000'000;
    EXPECT_EQ(moved(work), Time::ns(500));
}

TEST_F(RecordedOn, WhatSaysTooLittleStays) {
    const Time duration = Time::ns(1'000);
    ProgramOperation bytes_only = recorded_for(duration);
    bytes_only.bytes = Bytes(1'000);
    ProgramOperation operations_only = recorded_for(duration);
    operations_only.operations = 1'000;
    for (const ProgramOperation& operation :
         {recorded_for(duration), bytes_only, operations_only, norm(duration, 0)}) {
        EXPECT_EQ(moved(operation), duration);
        EXPECT_TRUE(stays(operation));
    }
    EXPECT_FALSE(stays(norm(duration)));
}

TEST_F(RecordedOn, OnlyRecordedDurationsOfGpusMove) {
    ProgramOperation host = recorded_for(Time::ns(1'000));
    host.kind = OperationKind::Cpu;
    EXPECT_EQ(moved(host), Time::ns(1'000));
    EXPECT_FALSE(stays(host));
    EXPECT_EQ(moved(norm(Time())), Time::ns(1'500)) << "nothing recorded: the profile's time";
    machine_.system.recorded_on = nullptr;
    EXPECT_EQ(moved(norm(Time::ns(8'000))), Time::ns(1'500));
    EXPECT_EQ(moved(recorded_for(Time::ns(8'000))), Time::ns(8'000));
    EXPECT_FALSE(stays(recorded_for(Time::ns(8'000))));
}

// Norms: 4 us x 2 on the old device, 1.5 us x 3 on the new one. A kernel that took no longer than
// the host's launch has waited for it, and does so on any device.
TEST_F(RecordedOn, StacksHaveTheirScalarsOfEachDevice) {
    StackProfile stack;
    stack.scale_jitter = 0.5;
    stack.devices["old"].memory_time = 2;
    stack.devices["new"].memory_time = 3;
    stack.devices["new"].compute_rate = 0.5;
    const auto use = [&] { machine_.system.stack = std::make_shared<const StackProfile>(stack); };
    use();
    EXPECT_EQ(moved(norm(Time::ns(16'000))), Time::ns(9'000));
    EXPECT_EQ(moved(product(Time::ns(200'000))), Time::ns(100'000));
    stack.host_us = 10;
    use();
    EXPECT_EQ(moved(norm(Time::ns(160'000))), Time::ns(90'000));
    EXPECT_EQ(moved(norm(Time::ns(16'000))), Time::ns(10'000));
    EXPECT_EQ(moved(norm(Time::ns(8'000))), Time::ns(8'000));
    move(new_device, old_device);
    EXPECT_EQ(moved(norm(Time::ns(9'000))), Time::ns(16'000));
}

TEST_F(RecordedOn, NotesSayWhatStays) {
    Workload workload;
    RankProgram program;
    program.operations = {norm(Time::ns(6'000)), recorded_for(Time::ns(2'000)), norm(Time())};
    workload.programs = {program};
    workload.program_of = {0, 0};
    const auto notes = [&] {
        Results results;
        note_recorded_durations(results, workload, model(), Fold());
        return results.notes;
    };
    EXPECT_THAT(notes(),
                testing::ElementsAre(
                    "2 of 4 recorded durations of GPU operations, 25 % of their time, stay "
                    "as on old: these operations say neither which kernel they are nor "
                    "their operations and bytes"));
    workload.programs.front().operations.erase(workload.programs.front().operations.begin() + 1);
    EXPECT_THAT(notes(), testing::IsEmpty());
    workload.programs.front().operations = {norm(Time())};
    EXPECT_THAT(notes(), testing::ElementsAre(testing::HasSubstr("recorded-on has no effect")));
    machine_.system.recorded_on = nullptr;
    EXPECT_THAT(notes(), testing::IsEmpty());
}

SystemConfig system_of(const std::string& text, const char* dialect = "npunet") {
    const test::TemporaryFolder folder;
    std::vector<std::string> warnings;
    return read_system_config(folder.write("system.json", text).string(), Dialect::named(dialect),
                              warnings);
}

std::string refusal_of(const std::string& text, const char* dialect = "npunet") {
    try {
        static_cast<void>(system_of(text, dialect));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(RecordedOnKey, NamesADevice) {
    const SystemConfig system =
        system_of(R"({"device": "h100-sxm5-80gb", "recorded-on": "a100-sxm4-80gb"})");
    ASSERT_NE(system.recorded_on, nullptr);
    EXPECT_EQ(system.recorded_on->name, "a100-sxm4-80gb");
    EXPECT_EQ(system_of(R"({"device": "h200"})").recorded_on, nullptr);
    const test::TemporaryFolder folder;
    folder.write("own.json", device_profile_text(load_device_profile("a100-sxm4-40gb")));
    const auto path =
        folder.write("system.json", R"({"device": "h200", "recorded-on": "own.json"})");
    std::vector<std::string> warnings;
    EXPECT_EQ(
        read_system_config(path.string(), Dialect::named("npunet"), warnings).recorded_on->name,
        "a100-sxm4-40gb");
    EXPECT_THAT(profile_files(path.string()),
                testing::ElementsAre(testing::HasSubstr("h200"), testing::EndsWith("own.json")));
}

TEST(RecordedOnKey, ErrorsNameThePlace) {
    EXPECT_THAT(refusal_of(R"({"recorded-on": "h200"})"),
                testing::AllOf(testing::HasSubstr("recorded-on"), testing::HasSubstr("device")));
    EXPECT_THAT(refusal_of(R"({"device": "h200", "recorded-on": "a100"})"),
                testing::AllOf(testing::HasSubstr("system.json, recorded-on"),
                               testing::HasSubstr("a100-sxm4-80gb")));
    EXPECT_THAT(refusal_of(R"({"device": "h200", "recorded-on": 3})"),
                testing::HasSubstr("a device profile"));
    EXPECT_THAT(refusal_of(R"({"recorded-on": "h200"})", "astra-sim"),
                testing::HasSubstr("no such key with --dialect astra-sim"));
}

}  // namespace
}  // namespace npunet::engine::recorded_on_test

// Times of kernels against closed forms, and the shipped device profiles.

#include "engine/device/kernel_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "base/errors.h"
#include "engine/device/device_profile.h"
#include "engine/machine/compute_model.h"
#include "engine/machine/system_config.h"
#include "engine/program/operation_decoder.h"
#include "ideal_device.h"
#include "tests/support/machines.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::engine {
namespace {

/// Ten multiprocessors of 1 TFLOP/s each, 1000 GB/s; attention moves nothing.
DeviceProfile ideal() {
    DeviceProfile device = ideal_device("ideal", 10, 1000, {0.5, 2});
    device.attention.front().forward.passes = 0;
    device.attention.front().backward.passes = 0;
    return device;
}

double bf16_us(const DeviceProfile& device, const MatmulShape& shape) {
    return matmul_us(device, DataType::Bf16, shape);
}

// A tile of 100 x 100 over k = 10 000 has 2 x 10^8 operations: 200 us on a multiprocessor.
TEST(KernelTime, ProductsTakeWholeWavesOfTiles) {
    const DeviceProfile device = ideal();
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 100, 100, 10'000}), 200);
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 100, 1000, 10'000}), 200);  // ten tiles
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 101, 1000, 10'000}), 400);  // twenty, half empty
    EXPECT_DOUBLE_EQ(bf16_us(device, {15, 100, 100, 10'000}), 400);  // batches add tiles
}

TEST(KernelTime, WavesMayBeFractions) {
    DeviceProfile device = ideal();
    device.matmul[DataType::Bf16].wave_rounding = 0;
    EXPECT_DOUBLE_EQ(bf16_us(device, {15, 100, 100, 10'000}), 300);
    EXPECT_DOUBLE_EQ(bf16_us(device, {5, 100, 100, 10'000}), 200) << "one wave at least";
    device.matmul[DataType::Bf16].wave_rounding = 0.5;
    EXPECT_DOUBLE_EQ(bf16_us(device, {15, 100, 100, 10'000}), 350);
}

// Both ramps halve the rate: s = 50 and a ramp of 50, k = 10 000 and a ramp of 10 000.
TEST(KernelTime, RampsAndLaunches) {
    DeviceProfile device = ideal();
    MatmulRates& rates = device.matmul[DataType::Bf16];
    rates.tile_ramp = 50;
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 100, 100, 10'000}), 400);
    rates.k_ramp = 10'000;
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 100, 100, 10'000}), 800);
    rates.efficiency = 0.5;
    rates.launch_us = 3;
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 100, 100, 10'000}), 1603);
}

// k in four parts uses four multiprocessors; adding up costs 5 us and 4 x 4 x 10^4 bytes.
TEST(KernelTime, PartsOfKWorkAtTheSameTime) {
    DeviceProfile device = ideal();
    MatmulRates& rates = device.matmul[DataType::Bf16];
    rates.split_k = {1, 4};
    rates.split_us = 5;
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 100, 100, 10'000}), 50 + 5 + 1.6e5 / 1e9);
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 100, 100, 500}), 10) << "parts of less than 128";
}

// 1000 x 1 x 1000: 2 004 000 bytes at half the bandwidth; tiles compute 20 us.
TEST(KernelTime, MemoryLimitsThinProducts) {
    DeviceProfile device = ideal();
    MatmulRates& rates = device.matmul[DataType::Bf16];
    rates.memory_efficiency = 0.05;
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 1000, 1, 1000}), 2'004'000 / 5e4);
    rates.exposed_share = 0.5;
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 1000, 1, 1000}), 2'004'000 / 5e4 + 10);
}

TEST(KernelTime, TheFastestTileCounts) {
    DeviceProfile device = ideal();
    device.matmul[DataType::Bf16].tiles = {{100, 100}, {10, 100}};
    EXPECT_DOUBLE_EQ(bf16_us(device, {1, 100, 100, 10'000}), 20);
}

// 10 heads of 1280 queries: 100 blocks of 4 x 128 x 1280 x 128 operations, ten a multiprocessor.
TEST(KernelTime, AttentionIsTheSumOfItsBlocks) {
    const DeviceProfile device = ideal();
    const double block = 4.0 * 128 * 1280 * 128 / 1e6;
    AttentionShape shape{1, 10, 10, 1280, 1280, 128, false};
    EXPECT_DOUBLE_EQ(attention_us(device, DataType::Bf16, shape, false), 10 * block);
    EXPECT_DOUBLE_EQ(attention_us(device, DataType::Bf16, shape, true), 25 * block);
    shape.causal = true;  // a block meets 704 keys in the mean
    EXPECT_DOUBLE_EQ(attention_us(device, DataType::Bf16, shape, false), 10 * block * 704 / 1280);
    shape.heads = 1;  // ten blocks at the same time: the longest counts
    EXPECT_DOUBLE_EQ(attention_us(device, DataType::Bf16, shape, false), block);
}

// Of 128 queries after 1152 keys that all of them meet, the mask hides half of a block.
TEST(KernelTime, LaterQueriesMeetEarlierKeys) {
    const DeviceProfile device = ideal();
    const AttentionShape shape{100, 1, 1, 128, 1280, 128, true};
    EXPECT_DOUBLE_EQ(attention_us(device, DataType::Bf16, shape, false),
                     10 * 4.0 * 128 * 1280 * 128 / 1e6);
}

TEST(KernelTime, OtherKernelsMoveBytes) {
    EXPECT_DOUBLE_EQ(memory_us(ideal(), Kernel::Norm, 1e6), 2 + 1e6 / 5e5);
}

TEST(KernelTime, TypesWithoutRatesUseThoseOfBf16) {
    DeviceProfile device = ideal();
    EXPECT_DOUBLE_EQ(matmul_us(device, DataType::Fp16, {1, 100, 100, 10'000}), 200);
    device.peak_tflops[DataType::Fp8] = 20;
    EXPECT_DOUBLE_EQ(matmul_us(device, DataType::Fp8, {1, 100, 100, 10'000}), 100);
    EXPECT_THROW(static_cast<void>(matmul_us(device, DataType::Fp64, {1, 1, 1, 1})), InputError);
}

/// A profile's time where there is a profile and the operation has a kernel; else the roofline.
TEST(KernelTime, ProfilesComeBeforeTheRoofline) {
    test::TestMachine machine = test::ring_machine(2, Rate(50'000'000'000), Time::ns(500));
    machine.system.roofline = true;
    machine.system.compute = {2, 100};
    ProgramOperation operation;
    operation.operations = 1'000'000;
    operation.bytes = Bytes(100'000);
    const auto cost = [&machine, &operation] {
        return ComputeModel(machine.system, machine.dialect, machine.network, 2)
            .cost(Rank(0), 7, operation);
    };
    const ComputeCost roofline = cost();
    KernelCall call{Kernel::Matmul, DataType::Bf16, false, 1, {1, 100, 100, 10'000}};
    operation.kernel = std::make_shared<const KernelCall>(call);
    EXPECT_EQ(cost().duration, roofline.duration) << "no profile";
    DeviceProfile device = ideal();
    device.launch_us = 3;
    machine.system.device = std::make_shared<const DeviceProfile>(device);
    EXPECT_EQ(cost().duration, Time::ns(200'000));
    EXPECT_TRUE(cost().modelled);
    EXPECT_DOUBLE_EQ(cost().bandwidth_share, 100'000 / 200e-6 / 1e12);
    call.launches = 3;
    operation.kernel = std::make_shared<const KernelCall>(call);
    EXPECT_EQ(cost().duration, Time::ns(206'000));
    call.launches = 0;
    operation.kernel = std::make_shared<const KernelCall>(call);
    EXPECT_EQ(cost().duration, Time()) << "part of another node's kernel";
    operation.kernel =
        std::make_shared<const KernelCall>(KernelCall{Kernel::Norm, DataType::Bf16, false, 1, {}});
    EXPECT_EQ(cost().duration, Time::ps(2'200'000)) << "by the bytes of the node";
    operation.kernel = nullptr;
    EXPECT_EQ(cost().duration, roofline.duration);
}

DecodedOperation decoded(const std::function<void(chakra::Node&)>& change) {
    chakra::Node node;
    node.id = 1;
    node.name = "product";
    node.type = chakra::NodeType::Compute;
    node.set_integer("num_ops", 7);
    change(node);
    ProgramContext context;
    context.file = "a.et";
    return OperationDecoder(context).decode(node);
}

TEST(KernelAttributes, AreRead) {
    const auto product = [](chakra::Node& node) {
        node.set_text("kernel", "matmul");
        node.set_text("dtype", "fp8");
        node.set("shape", std::vector<std::int64_t>{1, 2, 3, 4});
        node.set_integer("launches", 2);
        node.set_bool("causal", true);
    };
    const DecodedOperation read = decoded(product);
    ASSERT_NE(read.operation.kernel, nullptr);
    EXPECT_TRUE(*read.operation.kernel ==
                (KernelCall{Kernel::Matmul, DataType::Fp8, true, 2, {1, 2, 3, 4}}));
    EXPECT_EQ(decoded([](chakra::Node&) {}).operation.kernel, nullptr);
    EXPECT_EQ(decoded([](chakra::Node& node) {
                  node.set_text("kernel", "other tool's");
              }).operation.kernel,
              nullptr);
    EXPECT_NE(decoded([](chakra::Node& node) { node.set_text("kernel", "norm"); }).operation.kernel,
              nullptr)
        << "bytes tell the time";
    EXPECT_FALSE(same_work(read.operation, decoded([](chakra::Node&) {}).operation));
    EXPECT_TRUE(same_work(read.operation, decoded(product).operation));
}

TEST(KernelAttributes, ErrorsNameTheNode) {
    EXPECT_THROW(static_cast<void>(decoded([](chakra::Node& node) {
                     node.set_text("kernel", "matmul");
                     node.set_text("dtype", "bf16");
                     node.set("shape", std::vector<std::int64_t>{1, 2, 3});
                 })),
                 InputError);
    EXPECT_THROW(static_cast<void>(decoded([](chakra::Node& node) {
                     node.set_text("kernel", "matmul");
                     node.set("shape", std::vector<std::int64_t>{1, 2, 3, 4});
                 })),
                 InputError);
    EXPECT_THROW(static_cast<void>(decoded([](chakra::Node& node) {
                     node.set_text("kernel", "norm");
                     node.set_integer("launches", -1);
                 })),
                 InputError);
}

SystemConfig system_of(const std::string& text, const char* dialect = "npunet") {
    const test::TemporaryFolder folder;
    std::vector<std::string> warnings;
    const SystemConfig system = read_system_config(folder.write("system.json", text).string(),
                                                   Dialect::named(dialect), warnings);
    EXPECT_THAT(warnings, testing::IsEmpty());
    return system;
}

TEST(DeviceProfiles, SystemsNameThem) {
    const SystemConfig system = system_of(R"({"device": "h100-sxm5-80gb"})");
    ASSERT_NE(system.device, nullptr);
    EXPECT_TRUE(system.roofline);
    EXPECT_EQ(system.compute.peak_tflops, 989);
    EXPECT_EQ(system.compute.memory_bandwidth, 3350);
    EXPECT_EQ(system.memory_capacity, Bytes(80'000'000'000));
    const SystemConfig own =
        system_of(R"({"device": "h100-sxm5-80gb", "peak-perf": 500, "roofline-enabled": 0})");
    EXPECT_FALSE(own.roofline);
    EXPECT_EQ(own.compute.peak_tflops, 500);
    EXPECT_THROW(static_cast<void>(system_of(R"({"device": "h100"})")), InputError);
    EXPECT_THROW(static_cast<void>(system_of(R"({"device": "h200"})", "astra-sim")), InputError);
    EXPECT_EQ(system_of("{}").device, nullptr);
}

// Every value has a source, and what is written reads back the same.
TEST(DeviceProfiles, ShippedOnesAreWhole) {
    const std::vector<std::string> names = known_devices();
    EXPECT_THAT(names, testing::IsSupersetOf({"a100-sxm4-40gb", "a100-sxm4-80gb", "h100-sxm5-80gb",
                                              "h200", "b200", "gb200"}));
    const test::TemporaryFolder folder;
    for (const std::string& name : names) {
        SCOPED_TRACE(name);
        const DeviceProfile device = load_device_profile(name);
        EXPECT_EQ(device.name, name);
        EXPECT_EQ(device.sources.count("hardware"), 1U);
        EXPECT_EQ(device.sources.count("launch-us"), 1U);
        for (const auto& [type, rates] : device.matmul) {
            EXPECT_EQ(device.sources.count(std::string("matmul.") + name_of(type)), 1U);
        }
        for (const AttentionKernel& kernel : device.attention) {
            for (const char* const direction : {".forward", ".backward"}) {
                EXPECT_EQ(device.sources.count("attention." + kernel.name + direction), 1U);
            }
        }
        for (std::size_t i = 1; i < chakra::kernel_kinds; ++i) {
            const auto kernel = static_cast<Kernel>(i);
            EXPECT_EQ(device.sources.count(std::string("memory.") + name_of(kernel)),
                      is_memory_bound(kernel) ? 1U : 0U);
        }
        const std::string text = device_profile_text(device);
        const auto copy = folder.write(name + ".json", text);
        EXPECT_EQ(device_profile_text(read_device_profile(copy.string())), text);
    }
}

TEST(DeviceProfiles, ErrorsNameThePlace) {
    const test::TemporaryFolder folder;
    const auto message_of = [&folder](const std::string& text) -> std::string {
        try {
            static_cast<void>(read_device_profile(folder.write("own.json", text).string()));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(message_of("{}"), testing::HasSubstr("schema"));
    EXPECT_THAT(message_of(R"({"schema": 1, "name": "x", "multiprocesors": 3})"),
                testing::HasSubstr("multiprocessors"));
    EXPECT_THAT(message_of(R"({"schema": 1, "name": "x", "based-on": "h101"})"),
                testing::HasSubstr("h100-sxm5-80gb"));
    const std::string text = device_profile_text(load_device_profile("h100-sxm5-80gb"));
    std::string broken = text;
    broken.replace(broken.find("\"efficiency\": "), 14, "\"efficiency\": 7");
    EXPECT_THAT(message_of(broken), testing::HasSubstr("efficiency"));
    try {
        static_cast<void>(load_device_profile("h100", "--device"));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("--device"),
                                                 testing::HasSubstr("profile (.json)"),
                                                 testing::HasSubstr("mean h100-sxm5-80gb?")));
    }
}

TEST(DeviceProfiles, ADerivedOneHasTheBasesKernels) {
    const DeviceProfile base = load_device_profile("h100-sxm5-80gb");
    const DeviceProfile device = load_device_profile("h200");
    EXPECT_EQ(device.memory_bandwidth, 4800);
    EXPECT_EQ(device.matmul.at(DataType::Bf16).efficiency,
              base.matmul.at(DataType::Bf16).efficiency);
    EXPECT_EQ(device.attention.size(), base.attention.size());
    EXPECT_LT(memory_us(device, Kernel::Copy, 1e9), memory_us(base, Kernel::Copy, 1e9));
}

/// A profile based on the H100's with a table of products and one of attention beside it.
DeviceProfile with_times(const test::TemporaryFolder& folder, const std::string& times,
                         const std::string& products) {
    folder.write("gemm.csv", products);
    folder.write("attention.csv",
                 "batch,seq,heads,kv_heads,causal,direction,time_us\n"
                 "1,4096,32,8,1,forward,500\n1,4096,32,8,1,backward,1250\n");
    return read_device_profile(
        folder
            .write("own.json",
                   R"({"schema": 1, "name": "own", "based-on": "h100-sxm5-80gb",
                       "multiprocessors": 132, "peak-tflops": {"bf16": 989, "fp8": 1979},
                       "memory": {"bandwidth-gb-s": 3350, "capacity-gb": 80}, "sources": {},
                       "times": )" +
                       times + "}")
            .string());
}

// Shapes of the tables have their times, the mean of two rows among them; all others the formulas,
// and so have other types and directions. A further launch costs what it does beside a formula.
TEST(DeviceProfiles, MeasuredTimesComeBeforeTheFormulas) {
    const test::TemporaryFolder folder;
    const DeviceProfile device =
        with_times(folder, R"({"bf16": ["gemm.csv", "attention.csv"]})",
                   "m,n,k,batch,time_us\n4096,4096,4096,1,200\n4096,4096,4096,1,300\n"
                   "64,128,256,8,7.5\n");
    const DeviceProfile base = load_device_profile("h100-sxm5-80gb");
    const auto product = [](Kernel kernel, DataType type, std::vector<std::int64_t> shape,
                            std::int32_t launches = 1) {
        return KernelCall{kernel, type, false, launches, std::move(shape)};
    };
    const std::vector<std::int64_t> square{1, 4096, 4096, 4096};
    EXPECT_EQ(kernel_us(device, product(Kernel::Matmul, DataType::Bf16, square), 0), 250);
    EXPECT_EQ(kernel_us(device, product(Kernel::Matmul, DataType::Bf16, square, 3), 0),
              250 + 2 * base.launch_us);
    EXPECT_EQ(kernel_us(device, product(Kernel::Matmul, DataType::Bf16, square, 0), 0), 0);
    EXPECT_EQ(
        kernel_us(device, product(Kernel::GroupedMatmul, DataType::Bf16, {8, 64, 128, 256}), 0),
        7.5);
    for (const KernelCall& other :
         {product(Kernel::Matmul, DataType::Fp8, square),
          product(Kernel::Matmul, DataType::Bf16, {2, 4096, 4096, 4096}),
          product(Kernel::Matmul, DataType::Bf16, {1, 4096, 4096, 4097})}) {
        EXPECT_EQ(kernel_us(device, other, 0), kernel_us(base, other, 0));
    }
    KernelCall attention{Kernel::Attention, DataType::Bf16, true, 1, {1, 32, 8, 4096, 4096, 128}};
    EXPECT_EQ(kernel_us(device, attention, 0), 500);
    attention.kernel = Kernel::AttentionBackward;
    EXPECT_EQ(kernel_us(device, attention, 0), 1250);
    attention.causal = false;
    EXPECT_EQ(kernel_us(device, attention, 0), kernel_us(base, attention, 0));
    EXPECT_EQ(matmul_us(device, DataType::Bf16, {1, 4096, 4096, 4096}),
              matmul_us(base, DataType::Bf16, {1, 4096, 4096, 4096}));
    EXPECT_EQ(device.time_files.size(), 2U);
}

TEST(DeviceProfiles, TablesThatAreNoneAreErrors) {
    const test::TemporaryFolder folder;
    const auto refused = [&folder](const std::string& times, const std::string& products) {
        return test::message_of<InputError>([&] { return with_times(folder, times, products); });
    };
    const std::string good = "m,n,k,time_us\n1,2,3,4\n";
    EXPECT_EQ(refused(R"({"bf16": ["gemm.csv"]})", good), "no error");
    EXPECT_THAT(refused(R"({"bf17": ["gemm.csv"]})", good), testing::HasSubstr("bf17"));
    EXPECT_THAT(refused(R"({"bf16": "gemm.csv"})", good), testing::HasSubstr("list of CSV files"));
    EXPECT_THAT(refused(R"({"bf16": ["none.csv"]})", good), testing::HasSubstr("none.csv"));
    EXPECT_THAT(refused(R"({"bf16": ["gemm.csv"]})", "m,n,k,time_us\n1,2,3,0\n"),
                testing::HasSubstr("line 2, time_us"));
    EXPECT_THAT(refused(R"({"bf16": ["gemm.csv"]})", "operation,bytes,time_us\nadd,8,1\n"),
                testing::HasSubstr("kernels that memory limits"));
}

}  // namespace
}  // namespace npunet::engine

// The machines of configs/machines: their networks and systems have the figures that the files
// name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/machine/dialect.h"
#include "study/simulation_run.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"
#include "topology/yaml/machine.h"

namespace npunet::study {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Machine machine_named(const std::string& name) {
    return load_machine(name, name, "npunet");
}

/// Public figures: each way in GB/s; TFLOPS of bf16; GB/s and bytes of memory.
struct Figures {
    const char* name;
    std::size_t npus;
    double scale_up;   ///< of a GPU in all
    double scale_out;  ///< of a GPU; 0: none
    double tflops;
    double memory_gb_s;
    std::int64_t capacity;
    bool reduces;
    const char* device;  ///< "" without a profile
};

constexpr std::int64_t gb = 1'000'000'000;

// Two servers or racks each, so that both networks are there.
const Figures all_figures[] = {
    {"dgx-a100:2", 16, 300, 25, 312, 2039, 80 * gb, false, "a100-sxm4-80gb"},
    {"dgx-h100:2", 16, 450, 50, 989, 3350, 80 * gb, true, "h100-sxm5-80gb"},
    {"dgx-h200:2", 16, 450, 50, 989, 4800, 141 * gb, true, "h200"},
    {"dgx-b200:2", 16, 900, 50, 2250, 8000, 180 * gb, true, "b200"},
    {"gb200-nvl72:144", 144, 900, 50, 2500, 8000, 186 * gb, true, "gb200"},
    {"mi300x:2", 16, 7 * 64, 50, 1307.4, 5300, 192 * gb, false, ""},
    {"tpu-v4:4x4x8", 128, 6 * 50, 0, 275, 1200, std::int64_t{32} << 30, false, ""},
    {"tpu-v5p:4x8x4", 128, 6 * 100, 0, 459, 2765, std::int64_t{95} << 30, false, ""},
};

TEST(ReadyMachines, HaveTheFiguresThatTheyName) {
    EXPECT_EQ(std::size(all_figures), topology::known_machines().size());
    for (const Figures& expected : all_figures) {
        SCOPED_TRACE(expected.name);
        const Machine machine = machine_named(expected.name);
        EXPECT_THAT(machine.warnings, IsEmpty());
        const topology::Graph& graph = machine.network.graph;
        ASSERT_EQ(graph.npus(), expected.npus);
        double slowest = 1e9;
        double sum = 0;
        for (const LinkId id : graph.links_from(NodeId(0))) {
            const double gb_s = static_cast<double>(graph.link(id).rate.bytes_per_second()) * 1e-9;
            slowest = std::min(slowest, gb_s);
            sum += gb_s;
        }
        EXPECT_DOUBLE_EQ(sum, expected.scale_up + expected.scale_out);
        if (expected.scale_out > 0) {
            EXPECT_DOUBLE_EQ(slowest, expected.scale_out);
        }
        EXPECT_DOUBLE_EQ(machine.system.compute.peak_tflops, expected.tflops);
        EXPECT_DOUBLE_EQ(machine.system.compute.memory_bandwidth, expected.memory_gb_s);
        EXPECT_EQ(machine.system.memory_capacity, Bytes(expected.capacity));
        EXPECT_TRUE(machine.system.roofline);
        EXPECT_EQ(!machine.network.reducing_switches.empty(), expected.reduces);
        const bool profiled = *expected.device != 0;
        ASSERT_EQ(machine.system.device != nullptr, profiled);
        EXPECT_EQ(machine.system.stack != nullptr, profiled);
        EXPECT_EQ(machine.system.library != nullptr, profiled);
        if (profiled) {
            EXPECT_EQ(machine.system.device->name, expected.device);
        }
    }
}

// One leaf a rail up to half its ports; then leaves and spines; then three levels.
TEST(ReadyMachines, NetworksGrowWithTheCount) {
    const auto nodes = [](const std::string& name) {
        const Machine machine = machine_named(name);
        return std::pair{machine.network.graph.npus(),
                         machine.network.graph.nodes() - machine.network.graph.npus()};
    };
    EXPECT_EQ(nodes("dgx-h100:1"), (std::pair<std::size_t, std::size_t>(8, 1)));
    EXPECT_EQ(nodes("dgx-h100:32"), (std::pair<std::size_t, std::size_t>(256, 32 + 8)));
    // Two leaves of 32 servers and 32 spines a rail.
    EXPECT_EQ(nodes("dgx-h100:64"), (std::pair<std::size_t, std::size_t>(512, 64 + 8 * (2 + 32))));
    EXPECT_EQ(nodes("dgx-a100:20"), (std::pair<std::size_t, std::size_t>(160, 20 + 8)));
    EXPECT_EQ(nodes("dgx-a100:40"), (std::pair<std::size_t, std::size_t>(320, 40 + 8 * (2 + 20))));
    EXPECT_EQ(nodes("gb200-nvl72:72"), (std::pair<std::size_t, std::size_t>(72, 1)));
    EXPECT_EQ(nodes("mi300x:1"), (std::pair<std::size_t, std::size_t>(8, 0)));
    const Machine pod = machine_named("tpu-v5p:16x20x28");
    EXPECT_EQ(pod.network.graph.npus(), 8960U);
    EXPECT_EQ(pod.network.graph.links(), 6U * 8960);
    // Cubes in any arrangement: a row of eight, a pod as a square of 16, and all 64 in a row.
    for (const char* const name : {"tpu-v4:4x4x32", "tpu-v4:4x32x32", "tpu-v4:256x4x4"}) {
        const topology::Graph slice = machine_named(name).network.graph;
        EXPECT_EQ(slice.npus(), name == std::string("tpu-v4:4x4x32") ? 512U : 4096U) << name;
        EXPECT_EQ(slice.links(), 6 * slice.npus()) << name;
    }
}

TEST(ReadyMachines, RefusalsSayWhatFits) {
    const auto error_of = [](const std::string& name) {
        return test::message_of<InputError>(
            [&] { return topology::read_machine(name, "--machine"); });
    };
    EXPECT_THAT(error_of("dgx-h10:4"),
                AllOf(HasSubstr("--machine: found 'dgx-h10:4'"), HasSubstr("tpu-v5p"),
                      HasSubstr("Did you mean dgx-h100?")));
    EXPECT_THAT(error_of("dgx-h100"), AllOf(HasSubstr("without a count"),
                                            HasSubstr("a number of servers of 8 GPUs, 1 to")));
    for (const char* name : {"dgx-h100:0", "dgx-h100:x", "dgx-h100:4x4", "dgx-h100:-3",
                             "dgx-h100:99999999999999999999", "dgx-h100:1000000"}) {
        EXPECT_THAT(error_of(name), HasSubstr("a number of servers of 8 GPUs, 1 to 65536"));
    }
    EXPECT_THAT(error_of("gb200-nvl72:100"), HasSubstr("a multiple of 72 from 72 to 147456"));
    EXPECT_THAT(error_of("tpu-v4:64"),
                AllOf(HasSubstr("chips, as AxBxC: multiples of 4, at most 4096 chips"),
                      HasSubstr("tpu-v4:4x4x8")));
    for (const char* name :
         {"tpu-v4:4x4", "tpu-v4:4x4x6", "tpu-v4:16x16x20", "tpu-v4:0x4x4", "tpu-v4:-4x4x4",
          "tpu-v4:4x4x4x4", "tpu-v4:4x4x260", "tpu-v4:4000000000000000000x4x4"}) {
        EXPECT_THAT(error_of(name), HasSubstr("multiples of 4"));
    }
    EXPECT_FALSE(topology::names_machine("dgx-h10:4"));
    EXPECT_FALSE(topology::names_machine("configs/dgx-h100:4"));
    EXPECT_TRUE(topology::names_machine("dgx-h100:4"));
    EXPECT_FALSE(topology::names_machine("net.yml"));
}

// A file counts before the machine of its name; the name alone says how to give a count.
TEST(ReadyMachines, FilesOfTheSameNameCount) {
    const test::TemporaryFolder folder;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    const std::string bare =
        test::message_of<InputError>([] { return load_machine("dgx-h100", "", "npunet"); });
    EXPECT_THAT(bare, AllOf(HasSubstr("--network: found dgx-h100 without a count"),
                            HasSubstr("For example: dgx-h100:4; --machine dgx-h100:4 is")));
    for (const char* const name : {"dgx-h100:1", "dgx-h100"}) {
        folder.write(name, "topology: [Ring]\nnpus_count: [3]\nbandwidth: [1]\nlatency: [1]\n");
        EXPECT_FALSE(topology::names_machine(name));
        EXPECT_EQ(load_machine(name, "", "npunet").network.graph.npus(), 3U);
    }
    std::filesystem::current_path(before);
}

}  // namespace
}  // namespace npunet::study

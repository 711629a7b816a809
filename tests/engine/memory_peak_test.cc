// The peak of memory: how much, when, what is alive, and whether it fits.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/npu/memory_tracker.h"
#include "tests/support/runs.h"
#include "tests/support/workloads.h"

namespace npunet::memory_peak_test {
namespace {

using test::compute_node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

chakra::Node with_tensors(chakra::Node node, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
    node.attributes.push_back({"inputs", inputs});
    node.attributes.push_back({"outputs", outputs});
    return node;
}

engine::Results run(const std::vector<chakra::Node>& nodes, Bytes capacity = Bytes()) {
    test::TestMachine machine = test::ring_machine(1, Rate(1'000'000'000), Time());
    machine.system.track_memory = true;
    machine.system.memory_capacity = capacity;
    engine::WorkloadOptions options;
    options.tensors = true;
    return test::run(test::workload_of(
                         1, [&](Rank) { return nodes; }, {}, options),
                     machine);
}

// Three operations of 10 us: a (1000 bytes, from outside) -> b (500) -> c (800), d (50) -> end.
// Alive: a and b from 0 (1500); at 10 us, when c and d are born, a has gone: 1350. At 20 us b has
// gone and nothing is born.
TEST(MemoryPeak, IsTheFirstOfTheLargestSums) {
    const engine::Results results =
        run({with_tensors(compute_node(1, 10), {"a", "1000"}, {"b", "500"}),
             with_tensors(compute_node(2, 10, {1}), {"b", "500.0"}, {"c", "800", "d", "50"}),
             with_tensors(compute_node(3, 10, {2}), {"c", "800", "d", "50"}, {})});
    const engine::NpuResult& npu = results.npus[0];
    EXPECT_EQ(npu.peak_memory, Bytes(1500));
    EXPECT_EQ(npu.peak.at, Time());
    ASSERT_EQ(npu.peak.largest.size(), 2U);
    EXPECT_EQ(npu.peak.largest[0].name, "a");
    EXPECT_EQ(npu.peak.largest[0].bytes, Bytes(1000));
    EXPECT_EQ(npu.peak.largest[1].name, "b");
    EXPECT_EQ(npu.peak.others, 0);
}

// The same with c of 1800 bytes: the peak is at 10 us, and a is no longer in it.
TEST(MemoryPeak, NamesWhatIsAliveThen) {
    const engine::Results results =
        run({with_tensors(compute_node(1, 10), {"a", "1000"}, {"b", "500"}),
             with_tensors(compute_node(2, 10, {1}), {"b", "500"}, {"c", "1800", "d", "50"}),
             with_tensors(compute_node(3, 10, {2}), {"c", "1800", "d", "50"}, {})});
    const engine::NpuResult& npu = results.npus[0];
    EXPECT_EQ(npu.peak_memory, Bytes(2350));
    EXPECT_EQ(npu.peak.at, Time::ns(10'000));
    std::vector<std::string> names;
    for (const engine::MemoryPeak::Tensor& tensor : npu.peak.largest) {
        names.push_back(tensor.name);
    }
    EXPECT_THAT(names, ElementsAre("c", "b", "d"));
}

// Thirteen weights of 1 to 13 bytes: the ten largest are named, 1 + 2 + 3 bytes are not.
TEST(MemoryPeak, SumsUpTheRest) {
    std::vector<std::string> inputs;
    for (int bytes = 1; bytes <= 13; ++bytes) {
        inputs.push_back(fmt::format("w{}", bytes));
        inputs.push_back(std::to_string(bytes));
    }
    const engine::MemoryPeak peak =
        run({with_tensors(compute_node(1, 10), inputs, {})}).npus[0].peak;
    ASSERT_EQ(peak.largest.size(), 10U);
    EXPECT_EQ(peak.largest[0].name, "w13");
    EXPECT_EQ(peak.largest[9].name, "w4");
    EXPECT_EQ(peak.others, 3);
    EXPECT_EQ(peak.others_bytes, Bytes(6));
}

TEST(MemoryPeak, IsHeldAgainstTheCapacity) {
    const std::vector<chakra::Node> nodes{
        with_tensors(compute_node(1, 10), {"a", "1000"}, {"b", "500"})};
    EXPECT_TRUE(run(nodes).notes.empty());
    EXPECT_TRUE(run(nodes, Bytes(1500)).notes.empty());
    const engine::Results results = run(nodes, Bytes(1400));
    ASSERT_EQ(results.notes.size(), 1U);
    EXPECT_THAT(results.notes[0], HasSubstr("1 of 1 NPUs"));
    EXPECT_THAT(results.notes[0], HasSubstr("does not fit in memory"));
    EXPECT_THAT(results.notes[0], HasSubstr("100 B too much"));
}

TEST(MemoryPeak, IsZeroWithoutTensors) {
    const engine::NpuResult npu = run({compute_node(1, 10)}).npus[0];
    EXPECT_EQ(npu.peak_memory, Bytes());
    EXPECT_TRUE(npu.peak.largest.empty());
}

}  // namespace
}  // namespace npunet::memory_peak_test

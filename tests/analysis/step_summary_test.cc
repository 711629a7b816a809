#include "analysis/step_summary.h"

#include <gtest/gtest.h>

#include <memory>

namespace npunet::analysis::step_summary_test {
namespace {

using engine::Parallelism;
using Kind = Bottleneck::Kind;

/// finish = compute + exposed + memory + idle; of the exposed communication `data` is DP's.
engine::NpuResult npu(std::int32_t rank, Time compute, Time exposed, Time data, Time memory,
                      Time idle) {
    engine::NpuResult result;
    result.rank = Rank(rank);
    result.finish = compute + exposed + memory + idle;
    result.compute = compute;
    result.communication = 2 * exposed;
    result.exposed_communication = exposed;
    result.exposed_memory = memory;
    result.memory = memory;
    result.idle = idle;
    auto dimensions = std::make_shared<engine::DimensionTimes>();
    (*dimensions)[Parallelism::Data] = {2 * data, data};
    (*dimensions)[Parallelism::Tensor] = {exposed - data, exposed - data};
    result.dimensions = std::move(dimensions);
    return result;
}

StepSummary summary_of(const engine::Results& results) {
    const auto summary = step_summary(results);
    EXPECT_TRUE(summary.has_value());
    return summary.value_or(StepSummary());
}

engine::Results of_one(Time compute, Time exposed, Time data, Time memory, Time idle) {
    engine::Results results;
    results.npus = {npu(0, compute, exposed, data, memory, idle)};
    results.finish = results.npus.front().finish;
    return results;
}

TEST(StepSummary, LooksAtTheFirstNpuThatFinishesLast) {
    engine::Results results;
    const Time ten = Time::ns(10);
    results.npus = {npu(0, Time::ns(70), ten, ten, Time(), Time()),
                    npu(1, Time::ns(60), ten, ten, Time(), Time::ns(20)),
                    npu(2, Time::ns(50), ten, ten, Time(), Time::ns(30))};
    results.finish = Time::ns(90);
    EXPECT_EQ(summary_of(results).last, &results.npus[1]);
    EXPECT_EQ(summary_of(results).busiest, &results.npus[0]);
    EXPECT_EQ(last_to_finish(engine::Results()), nullptr);
    EXPECT_FALSE(step_summary(engine::Results()).has_value());
    EXPECT_FALSE(step_summary(of_one(Time(), Time(), Time(), Time(), Time())).has_value());
}

TEST(StepSummary, TheBottleneckIsTheLargestPartWithoutCompute) {
    const Time ns = Time::ns(1);
    const StepSummary data = summary_of(of_one(10 * ns, 30 * ns, 20 * ns, 5 * ns, 12 * ns));
    EXPECT_EQ(data.bottleneck.kind, Kind::Communication);
    EXPECT_EQ(data.bottleneck.dimension, Parallelism::Data);
    EXPECT_EQ(data.bottleneck.time, 40 * ns);
    EXPECT_EQ(data.bottleneck.exposed, 20 * ns);
    // Of equals the first of the order.
    EXPECT_EQ(summary_of(of_one(10 * ns, 40 * ns, 20 * ns, 5 * ns, 20 * ns)).bottleneck.dimension,
              Parallelism::Tensor);
    EXPECT_EQ(summary_of(of_one(10 * ns, 2 * ns, ns, 5 * ns, 3 * ns)).bottleneck.kind,
              Kind::Memory);
    EXPECT_EQ(summary_of(of_one(10 * ns, 2 * ns, ns, 5 * ns, 6 * ns)).bottleneck.kind,
              Kind::Waiting);
    // 80 of 100 ns, and one less.
    EXPECT_EQ(summary_of(of_one(80 * ns, 20 * ns, ns, Time(), Time())).bottleneck.kind,
              Kind::Compute);
    EXPECT_EQ(summary_of(of_one(79 * ns, 21 * ns, ns, Time(), Time())).bottleneck.kind,
              Kind::Communication);
}

// 30 ns are exposed: 20 of DP, of which the NPU carries 5; it waits for TP of others for 18 ns, in
// 15 of DP and 3 of its 12 idle ones, and for compute of others for the other 9.
TEST(StepSummary, TheBottleneckIsWhatHoldsTheNpuUpMost) {
    const Time ns = Time::ns(1);
    engine::Results results = of_one(10 * ns, 30 * ns, 20 * ns, Time(), 12 * ns);
    auto dimensions = std::make_shared<engine::DimensionTimes>();
    (*dimensions)[Parallelism::Data] = {25 * ns, 20 * ns, 15 * ns};
    (*dimensions)[Parallelism::Tensor] = {10 * ns, 10 * ns};
    engine::HoldUps& causes = dimensions->hold_ups.emplace();
    results.npus[0].dimensions = dimensions;
    causes.exposed.carried_by(Parallelism::Data) = 5 * ns;
    causes.exposed.carried_by(Parallelism::Tensor) = 25 * ns;
    causes.idle.carried_by(Parallelism::Tensor) = 3 * ns;
    causes.idle.compute = 9 * ns;
    const Bottleneck tensor = summary_of(results).bottleneck;
    EXPECT_EQ(tensor.kind, Kind::Communication);
    EXPECT_EQ(tensor.dimension, Parallelism::Tensor);
    EXPECT_EQ(tensor.exposed, 10 * ns);
    EXPECT_EQ(tensor.waiting, 18 * ns);
    // All of the waiting for compute of others.
    causes.exposed.carried_by(Parallelism::Tensor) = 10 * ns;
    causes.exposed.compute = 15 * ns;
    causes.idle = {};
    causes.idle.compute = 12 * ns;
    const Bottleneck compute = summary_of(results).bottleneck;
    EXPECT_EQ(compute.kind, Kind::Waiting);
    EXPECT_EQ(compute.time, 27 * ns);
    EXPECT_EQ(compute.exposed, 27 * ns);
    EXPECT_EQ(compute.waiting, Time());
}

// Without capacities the largest peak, with them the largest share.
TEST(StepSummary, TheFullestNpuIsNearestToItsCapacity) {
    engine::Results results;
    for (std::int32_t rank = 0; rank < 3; ++rank) {
        results.npus.push_back(npu(rank, Time::ns(1), Time(), Time(), Time(), Time()));
    }
    results.finish = Time::ns(1);
    EXPECT_EQ(summary_of(results).fullest, nullptr);
    results.npus[0].peak_memory = Bytes(40);
    results.npus[1].peak_memory = Bytes(60);
    results.npus[2].peak_memory = Bytes(60);
    EXPECT_EQ(summary_of(results).fullest, &results.npus[1]);
    for (engine::NpuResult& one : results.npus) {
        one.memory_capacity = Bytes(one.rank == Rank(0) ? 50 : 100);
    }
    EXPECT_EQ(summary_of(results).fullest, &results.npus[0]);
}

// 50 % of 60 ns and 20 % of 30 ns, of twice 90 ns.
TEST(StepSummary, FlopsAreOfTheWholeRun) {
    engine::Results results = of_one(Time::ns(60), Time::ns(30), Time(), Time(), Time());
    EXPECT_EQ(summary_of(results).hfu_percent, 0);
    results.npus.push_back(npu(1, Time::ns(30), Time::ns(30), Time(), Time(), Time()));
    results.npus[0].compute_utilization_percent = 50;
    results.npus[1].compute_utilization_percent = 20;
    EXPECT_DOUBLE_EQ(summary_of(results).hfu_percent, 20);
}

}  // namespace
}  // namespace npunet::analysis::step_summary_test

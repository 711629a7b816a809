#include "study/step_rates.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>

#include "generators/transformer/training_step.h"
#include "study/generated_workload.h"
#include "tests/generators/steps.h"
#include "tests/study/as_machine.h"

namespace npunet::study::step_rates_test {
namespace {

Machine machine_of(double peak_tflops) {
    test::TestMachine made = test::ring_machine(4, Rate(50'000'000'000), Time::ns(500));
    made.system.compute.peak_tflops = peak_tflops;
    return as_machine(made);
}

/// Bf16 at 800 TFLOP/s and fp8 at 1600.
void add_device(Machine& machine) {
    auto device = std::make_shared<engine::DeviceProfile>();
    device->name = "made-up";
    device->peak_tflops = {{engine::DataType::Bf16, 800.0}, {engine::DataType::Fp8, 1600.0}};
    machine.system.device = device;
}

generators::Plan plan_of(const generators::ModelSpec& model,
                         generators::Mode mode = generators::Mode::Train) {
    generators::Plan plan;
    plan.dp = 2;
    plan.tp = 2;
    plan.batch = 8;
    plan.mode = mode;
    return generators::resolve_plan(model, plan);
}

engine::Results finished(Time finish) {
    engine::Results results;
    results.finish = finish;
    return results;
}

// 8 sequences of 32 tokens in 2 ms. P = 4 layers of 64 (128 + 2 x 32) + 128 x 64 + 3 x 64 x 96, and
// 160 x 64; attention 6 L s a (d + d) T with 8 heads of 16 channels.
TEST(StepRates, OfAHandCountedStep) {
    const generators::ModelSpec model = generators::small_model();
    const double tokens = 8 * 32;
    const double weights = 4 * (64.0 * 192 + 128 * 64 + 3 * 64 * 96) + 160 * 64;
    const double flops = 6 * weights * tokens + 6.0 * 4 * 32 * 8 * 32 * tokens;
    const double tflops = flops / 2e-3 / 4 / 1e12;
    const auto rates =
        step_rates(model, plan_of(model), machine_of(0.5), finished(Time::ns(2'000'000)));
    ASSERT_TRUE(rates.has_value());
    EXPECT_DOUBLE_EQ(rates->tokens_per_s, 128'000);
    EXPECT_DOUBLE_EQ(rates->samples_per_s, 4'000);
    EXPECT_DOUBLE_EQ(rates->model_tflops_per_npu, tflops);
    EXPECT_DOUBLE_EQ(rates->mfu_percent, 100 * tflops / 0.5);
    EXPECT_DOUBLE_EQ(rates->peak_tflops_per_npu, 0.5);
    EXPECT_EQ(rates->peak_source, "peak-perf of system.json");
    // The embedding and 9 norms are in it, too.
    const double more = 6 * (160.0 * 64 + 9 * 64) * tokens / 2e-3 / 4 / 1e12;
    EXPECT_NEAR(rates->mfu_palm_percent, 100 * (tflops + more) / 0.5, 1e-9);
}

/// dp, tp, cp, pp, micro-batches of a replica; the rest makes steps longer, not their model FLOPs.
generators::Plan plan_of_ten(std::size_t number, const generators::ModelSpec& model) {
    constexpr std::array<std::array<std::int64_t, 5>, 10> shapes{{{8, 1, 1, 1, 1},
                                                                  {4, 2, 1, 1, 2},
                                                                  {2, 4, 1, 1, 1},
                                                                  {1, 8, 1, 1, 3},
                                                                  {2, 2, 1, 2, 4},
                                                                  {1, 2, 1, 4, 8},
                                                                  {2, 1, 2, 2, 2},
                                                                  {2, 2, 2, 1, 1},
                                                                  {1, 1, 4, 2, 2},
                                                                  {4, 1, 1, 2, 4}}};
    const auto& [dp, tp, cp, pp, micro_batches] = shapes[number];
    generators::Plan plan;
    plan.dp = dp;
    plan.tp = tp;
    plan.cp = cp;
    plan.pp = pp;
    plan.batch = dp * micro_batches;
    plan.zero = number % 2 == 0 ? 0 : 1;
    plan.overlap_grad_reduce = number % 3 == 0;
    plan.recompute = number == 4 ? generators::Recompute::Full : generators::Recompute::None;
    return generators::resolve_plan(model, plan);
}

// Narayanan et al. 2021, equation 3, without recomputation: of B sequences of s tokens, l layers, h
// channels and V words 72 B s l h^2 (1 + s / (6 h) + V / (12 l h)) FLOPs; tokens are B s.
TEST(StepRates, OfTenPlansEqualHandFormulas) {
    const double h = 256;
    const double l = 8;
    const double vocabulary = 1024;
    const double s = 64;
    const generators::ModelSpec model =
        generators::gpt_model({.hidden = 256, .layers = 8, .heads = 8, .vocab = 1024, .seq = 64});
    test::TestMachine made = test::ring_machine(8, Rate(50'000'000'000), Time::ns(500));
    made.system.roofline = true;
    made.system.compute = {312, 2039};
    const Machine machine = as_machine(made);
    std::set<Time> finishes;
    for (std::size_t number = 0; number < 10; ++number) {
        SCOPED_TRACE(number);
        const generators::Plan plan = plan_of_ten(number, model);
        const engine::Results results =
            simulate(workload_from(generators::generate(model, plan), workload_options(machine)),
                     machine, Fidelity::Analytical);
        finishes.insert(results.finish);
        const auto rates = step_rates(model, plan, machine, results);
        ASSERT_TRUE(rates.has_value());
        const double seconds = static_cast<double>(results.finish.ps()) / 1e12;
        const auto batch = static_cast<double>(plan.batch);
        EXPECT_NEAR(rates->tokens_per_s * seconds / (batch * s), 1, 1e-12);
        const double flops =
            72 * batch * s * l * h * h * (1 + s / (6 * h) + vocabulary / (12 * l * h));
        const double mfu = 100 * flops / seconds / 8 / 312e12;
        EXPECT_NEAR(rates->mfu_percent / mfu, 1, 1e-12);
    }
    EXPECT_EQ(finishes.size(), 10U);
}

TEST(StepRates, OfDecodingAreTokensOfTheSequences) {
    const generators::ModelSpec model = generators::small_model();
    const auto rates = step_rates(model, plan_of(model, generators::Mode::Decode), machine_of(0),
                                  finished(Time::ns(1'000'000)));
    ASSERT_TRUE(rates.has_value());
    EXPECT_DOUBLE_EQ(rates->tokens_per_s, 8'000);
    EXPECT_DOUBLE_EQ(rates->samples_per_s, 8'000);
}

TEST(StepRates, WithoutAPeakHaveNoUtilization) {
    const generators::ModelSpec model = generators::small_model();
    const auto rates = step_rates(model, plan_of(model), machine_of(0), finished(Time::ns(1000)));
    ASSERT_TRUE(rates.has_value());
    EXPECT_EQ(rates->mfu_percent, 0);
    EXPECT_EQ(rates->peak_tflops_per_npu, 0);
    EXPECT_EQ(rates->peak_source, "");
}

// The peak of the data type in the device profile comes before peak-perf; an NPU with a peak-perf
// of its own has that.
TEST(StepRates, TakeThePeakOfTheDataType) {
    generators::ModelSpec model = generators::small_model();
    Machine machine = machine_of(500);
    add_device(machine);
    generators::Plan plan = plan_of(model);
    const auto peak = [&] {
        const auto rates = step_rates(model, plan, machine, finished(Time::ns(1000)));
        return std::pair(rates->peak_tflops_per_npu, rates->peak_source);
    };
    EXPECT_EQ(peak(), std::pair(800.0, std::string("bf16 of made-up")));
    plan.precision = generators::Precision::Fp8;  // products in fp8, activations in bf16
    EXPECT_EQ(peak(), std::pair(1600.0, std::string("fp8 of made-up")));
    plan.precision = generators::Precision::Bf16;
    model.dtypes.activations = 1;
    EXPECT_EQ(peak(), std::pair(1600.0, std::string("fp8 of made-up")));
    model.dtypes.activations = 4;
    EXPECT_EQ(peak(), std::pair(500.0, std::string("peak-perf of system.json")));
    model.dtypes.activations = 2;
    machine.system.overrides = {{1, {200.0, 0}}};
    EXPECT_EQ(peak().first, (3 * 800.0 + 200.0) / 4);
    EXPECT_EQ(peak().second, "mean of the NPUs, bf16 of made-up and their own peak-perf");
}

TEST(StepRates, AreLeftOutOfWhatDidNotEnd) {
    const generators::ModelSpec model = generators::small_model();
    engine::Results stopped = finished(Time::ns(1000));
    stopped.partial = engine::Partial{};
    EXPECT_FALSE(step_rates(model, plan_of(model), machine_of(1), stopped).has_value());
    EXPECT_FALSE(step_rates(model, plan_of(model), machine_of(1), finished(Time())).has_value());
}

}  // namespace
}  // namespace npunet::study::step_rates_test

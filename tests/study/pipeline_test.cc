// Pipelines of recorded times in the real simulation: the published bubbles and memory, exactly.
//
// p stages, m micro-batches, v chunks; tF, tB, tW of one micro-batch and chunk, T = tF + tB + tW.
// The bubble is the finish time less m v T.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "generators/pipeline/pipeline_benchmark.h"
#include "generators/pipeline/timeline.h"
#include "generators/transformer/training_step.h"
#include "report/results/npu_summary.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/generators/steps.h"
#include "tests/support/machines.h"

namespace npunet::study::pipeline_test {
namespace {

using generators::PipelineBenchmark;
using generators::PipelineShape;
using generators::Schedule;

Machine ring_of(std::int64_t npus, Rate rate, Time latency) {
    test::TestMachine parts = test::ring_machine(npus, rate, latency);
    Machine machine{parts.dialect, parts.network, parts.system, {}};
    machine.system.track_memory = true;
    return machine;
}

engine::Results run(const PipelineBenchmark& benchmark, Time latency = Time(),
                    Fidelity fidelity = Fidelity::Analytical) {
    const Machine machine = ring_of(benchmark.shape.stages, Rate(1'000'000'000), latency);
    return simulate(workload_from(generators::generate(benchmark), workload_options(machine)),
                    machine, fidelity);
}

Time bubble(const PipelineBenchmark& benchmark, const engine::Results& results) {
    const PipelineShape& shape = benchmark.shape;
    return results.finish - shape.micro_batches * shape.chunks *
                                (benchmark.forward + benchmark.backward + benchmark.weight);
}

/// Every combination of stages, micro-batches, chunks and times that the schedule allows.
void for_all(Schedule schedule, const std::function<void(const PipelineBenchmark&)>& test) {
    const std::vector<std::int64_t> times{0, 1001, 1777, 2000, 5003};
    for (const std::int64_t p : {1, 2, 3, 4, 7}) {
        for (const std::int64_t m : {1, 2, 3, 4, 6, 7, 8, 14}) {
            for (const std::int64_t v : {1, 2, 3}) {
                const bool interleaved = schedule == Schedule::Interleaved;
                if (interleaved ? p < 2 || m % p != 0 : v > 1) {
                    continue;
                }
                for (std::size_t i = 0; i < 25; ++i) {
                    PipelineBenchmark benchmark;
                    benchmark.shape = {schedule, p, v, m};
                    // Five of the 25 pairs and all of the third time, in turn.
                    benchmark.forward = Time::ns(times[i % 5]);
                    benchmark.backward = Time::ns(times[(i / 5 + 2 * i) % 5]);
                    benchmark.weight = Time::ns(times[(i / 5 + static_cast<std::size_t>(m)) % 5]);
                    SCOPED_TRACE(generators::name_of(schedule) + " p " + std::to_string(p) + " m " +
                                 std::to_string(m) + " v " + std::to_string(v) + " times " +
                                 std::to_string(benchmark.forward.ps()) + ' ' +
                                 std::to_string(benchmark.backward.ps()) + ' ' +
                                 std::to_string(benchmark.weight.ps()));
                    test(benchmark);
                }
            }
        }
    }
}

// Huang et al. 2019; Narayanan et al. 2021: (p - 1) T, whatever the parts of T.
TEST(PipelineBubble, OfGPipeAndOneForwardOneBackward) {
    for (const Schedule schedule : {Schedule::GPipe, Schedule::OneForwardOneBackward}) {
        for_all(schedule, [](const PipelineBenchmark& benchmark) {
            const Time pass = benchmark.forward + benchmark.backward + benchmark.weight;
            EXPECT_EQ(bubble(benchmark, run(benchmark)).ps(),
                      ((benchmark.shape.stages - 1) * pass).ps());
        });
    }
}

// Narayanan et al. 2021, section 2.2.1: a fraction of (p - 1) / m, on every stage; m = 8, p = 4. Of
// the step that is (p - 1) / (m + p - 1).
TEST(PipelineBubble, IsReportedForEveryStage) {
    PipelineBenchmark benchmark;
    benchmark.shape = {Schedule::OneForwardOneBackward, 4, 1, 8};
    benchmark.forward = Time::ns(1000);
    benchmark.backward = benchmark.weight = Time::ns(1500);
    const engine::Results results = run(benchmark);
    for (const engine::NpuResult& npu : results.npus) {
        EXPECT_DOUBLE_EQ(report::bubble_percent(npu, results.finish), 37.5);
        EXPECT_DOUBLE_EQ(report::bubble_of_step_percent(npu, results.finish), 300.0 / 11);
    }
}

// Narayanan et al. 2021: (p - 1) T with T of one chunk, so that of whole stages over v.
TEST(PipelineBubble, OfInterleavedChunks) {
    for_all(Schedule::Interleaved, [](const PipelineBenchmark& benchmark) {
        const Time pass = benchmark.forward + benchmark.backward + benchmark.weight;
        EXPECT_EQ(bubble(benchmark, run(benchmark)).ps(),
                  ((benchmark.shape.stages - 1) * pass).ps());
    });
}

// Qi et al. 2023: (p - 1)(tF + tB - tW). That holds for m >= p and tW <= min(tF, tB); in general
//     (p - 1)(tF + tB) - (min(m, p) - 1) min(tF, tB, tW).
TEST(PipelineBubble, OfZeroBubble) {
    std::int64_t published = 0;
    for_all(Schedule::ZeroBubble, [&published](const PipelineBenchmark& benchmark) {
        const std::int64_t p = benchmark.shape.stages;
        const std::int64_t m = benchmark.shape.micro_batches;
        const Time least = std::min({benchmark.forward, benchmark.backward, benchmark.weight});
        const Time found = bubble(benchmark, run(benchmark));
        EXPECT_EQ(found.ps(), ((p - 1) * (benchmark.forward + benchmark.backward) -
                               (std::min(m, p) - 1) * least)
                                  .ps());
        if (m >= p && benchmark.weight == least) {
            ++published;
            EXPECT_EQ(found.ps(),
                      ((p - 1) * (benchmark.forward + benchmark.backward - benchmark.weight)).ps());
        }
    });
    EXPECT_GT(published, 100);
}

// Peak memory. Activations (A bytes) live from the forward pass to the gradient of the input, what
// the weight gradients need besides (K bytes) to those. In flight at a time, on stage s:
//     GPipe m, 1F1B min(m, p - s), interleaved min(m v, 2 (p - 1 - s) + (v - 1) p + 1): A + K each;
//     ZB-H1 min(m, p - s) times A, and K of micro-batches whose weight gradient is not done: with
//     A = 0 exactly min(m, p) on every stage.
TEST(PipelineMemory, IsWhatIsInFlight) {
    for (const auto& [name, schedule] : generators::schedules()) {
        for (const std::int64_t p : {2, 3, 4, 6}) {
            for (const std::int64_t m : {1, 2, 3, 4, 6, 12}) {
                for (const std::int64_t v : {1, 2, 3}) {
                    const bool interleaved = schedule == Schedule::Interleaved;
                    if (interleaved ? m % p != 0 : v > 1) {
                        continue;
                    }
                    for (const auto& [a, k] : {std::pair{1000, 0}, std::pair{0, 10}}) {
                        PipelineBenchmark benchmark;
                        benchmark.shape = {schedule, p, v, m};
                        benchmark.forward = Time::ns(1000);
                        benchmark.backward = Time::ns(1300);
                        benchmark.weight = Time::ns(900);
                        benchmark.activations = Bytes(a);
                        benchmark.weight_activations = Bytes(k);
                        const engine::Results results = run(benchmark);
                        for (std::int64_t s = 0; s < p; ++s) {
                            std::int64_t most = std::min(m, p - s);
                            if (schedule == Schedule::GPipe) {
                                most = m;
                            } else if (interleaved) {
                                most = std::min(m * v, 2 * (p - 1 - s) + (v - 1) * p + 1);
                            } else if (schedule == Schedule::ZeroBubble && a == 0) {
                                most = std::min(m, p);
                            }
                            EXPECT_EQ(results.npus[static_cast<std::size_t>(s)].peak_memory,
                                      most * Bytes(a + k))
                                << name << " p " << p << " m " << m << " v " << v << " stage " << s;
                        }
                    }
                }
            }
        }
    }
}

// The paper's sum of both on stage s for m >= p: (p - s) (A + K) + s K.
TEST(PipelineMemory, OfZeroBubbleIsThePapersSum) {
    PipelineBenchmark benchmark;
    benchmark.shape = {Schedule::ZeroBubble, 4, 1, 8};
    benchmark.forward = benchmark.backward = benchmark.weight = Time::ns(1000);
    benchmark.activations = Bytes(1000);
    benchmark.weight_activations = Bytes(10);
    const engine::Results results = run(benchmark);
    for (std::int64_t s = 0; s < 4; ++s) {
        EXPECT_EQ(results.npus[static_cast<std::size_t>(s)].peak_memory,
                  Bytes((4 - s) * 1010 + s * 10));
    }
}

// With messages that take L each, GPipe's first forward pass and last backward pass are L later at
// every stage, and nothing else is: a bubble of (p - 1)(T + 2 L).
TEST(PipelineBubble, OfGPipeWithLatency) {
    for (const Fidelity fidelity : {Fidelity::Analytical, Fidelity::CongestionAware}) {
        PipelineBenchmark benchmark;
        benchmark.shape = {Schedule::GPipe, 5, 1, 7};
        benchmark.forward = Time::ns(1000);
        benchmark.backward = Time::ns(1500);
        benchmark.weight = Time::ns(800);
        EXPECT_EQ(bubble(benchmark, run(benchmark, Time::ns(333), fidelity)),
                  Time::ns(4 * (3300 + 2 * 333)));
    }
}

// Sends run beside the passes that follow: a message of L keeps only its receiver waiting. In the
// last stage's steady state nothing is received late as long as the warm-up is ahead by more, so
// that the last of two stages under GPipe computes without a gap from its first forward pass on.
TEST(PipelineBubble, PassesDoNotWaitForTheirSends) {
    PipelineBenchmark benchmark;
    benchmark.shape = {Schedule::GPipe, 2, 1, 8};
    benchmark.forward = benchmark.backward = Time::ns(1000);
    benchmark.message = Bytes(900);  // 900 ns at 1 GB/s
    const engine::Results results = run(benchmark);
    EXPECT_EQ(results.npus[0].exposed_communication + results.npus[0].idle,
              Time::ns(2 * 1000 + 2 * 900));
    EXPECT_EQ(bubble(benchmark, results), Time::ns(2 * 1000 + 2 * 900));
}

// The timeline that pictures are drawn from is the simulation's.
TEST(PipelinePicture, IsWhatTheSimulationDoes) {
    for (const auto& [name, schedule] : generators::schedules()) {
        PipelineBenchmark benchmark;
        benchmark.shape = {schedule, 3, schedule == Schedule::Interleaved ? 2 : 1, 6};
        benchmark.forward = Time::ns(3);
        benchmark.backward = Time::ns(5);
        benchmark.weight = Time::ns(2);
        const engine::Results results = run(benchmark);
        const auto timeline = generators::pipeline_timeline(benchmark.shape, {3, 5, 2});
        for (std::size_t stage = 0; stage < timeline.size(); ++stage) {
            EXPECT_EQ(results.npus[stage].finish, Time::ns(timeline[stage].back().end)) << name;
        }
    }
}

// A real model, two stages and a layer each chunk: where messages and collectives cost next to
// nothing, interleaving and splitting the backward pass shorten the step.
TEST(PipelineBubble, OfATransformer) {
    Machine machine = ring_of(2, Rate(1'000'000'000'000'000), Time());
    machine.system.roofline = true;
    machine.system.compute = {1, 1000};
    const auto finish = [&machine](Schedule schedule) {
        generators::Plan plan;
        plan.pp = 2;
        plan.batch = 4;
        plan.schedule = schedule;
        plan.vpp = schedule == Schedule::Interleaved ? 2 : 1;
        return simulate(workload_from(generators::generate(generators::small_model(), plan),
                                      workload_options(machine)),
                        machine, Fidelity::Analytical)
            .finish;
    };
    const Time plain = finish(Schedule::OneForwardOneBackward);
    EXPECT_EQ(finish(Schedule::GPipe), plain);
    EXPECT_LT(finish(Schedule::Interleaved), plain);
    EXPECT_LT(finish(Schedule::ZeroBubble), plain);
}

}  // namespace
}  // namespace npunet::study::pipeline_test

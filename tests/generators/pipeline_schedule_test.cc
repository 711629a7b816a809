// The orders of a stage's passes, against independent statements of the published ones.

#include "generators/pipeline/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "generators/pipeline/pipeline_benchmark.h"
#include "generators/pipeline/timeline.h"
#include "tests/generators/rendezvous.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Kind, chunk, micro-batch.
using Step = std::tuple<char, std::int64_t, std::int64_t>;

char letter(ActionKind kind) {
    return kind == ActionKind::Forward         ? 'F'
           : kind == ActionKind::Backward      ? 'B'
           : kind == ActionKind::InputGradient ? 'I'
                                               : 'W';
}

std::vector<Step> steps_of(const PipelineShape& shape, std::int64_t stage) {
    std::vector<Step> steps;
    for (const PipelineAction& action : pipeline_actions(shape, stage)) {
        steps.emplace_back(letter(action.kind), action.chunk, action.micro_batch);
    }
    return steps;
}

std::string text(const std::vector<Step>& steps) {
    std::string line;
    for (const auto& [kind, chunk, micro_batch] : steps) {
        if (!line.empty()) {
            line += ' ';
        }
        line += kind;
        line += std::to_string(micro_batch);
    }
    return line;
}

using ShapeTest = std::function<void(const PipelineShape&, std::int64_t stage)>;

void for_all(Schedule schedule, const ShapeTest& test) {
    for (std::int64_t stages = 1; stages <= 6; ++stages) {
        for (std::int64_t m = 1; m <= 13; ++m) {
            for (std::int64_t chunks = 1; chunks <= 4; ++chunks) {
                const bool interleaved = schedule == Schedule::Interleaved;
                if (interleaved ? stages < 2 || m % stages != 0 : chunks > 1) {
                    continue;
                }
                for (std::int64_t stage = 0; stage < stages; ++stage) {
                    SCOPED_TRACE(name_of(schedule) + " stages " + std::to_string(stages) +
                                 " micro-batches " + std::to_string(m) + " chunks " +
                                 std::to_string(chunks) + " stage " + std::to_string(stage));
                    test({schedule, stages, chunks, m}, stage);
                }
            }
        }
    }
}

// Megatron-LM's get_model_chunk_id and its inverse: virtual micro-batch k of group size pp is chunk
// (k mod pp v) / pp, backwards v - 1 less that, and micro-batch floor(k / (pp v)) pp + k mod pp.
// Its phases: warm-up forwards k = 0 .. w - 1, then forward k + w and backward k in turn, then the
// backwards that are left.
TEST(Interleaved, EqualsTheClosedFormOfTheTable) {
    for_all(Schedule::Interleaved, [](const PipelineShape& shape, std::int64_t stage) {
        const std::int64_t pp = shape.stages;
        const std::int64_t v = shape.chunks;
        const std::int64_t all = shape.micro_batches * v;
        const auto forward = [&](std::int64_t k) {
            return Step('F', k % (pp * v) / pp, k / (pp * v) * pp + k % pp);
        };
        const auto backward = [&](std::int64_t k) {
            return Step('B', v - 1 - k % (pp * v) / pp, k / (pp * v) * pp + k % pp);
        };
        const std::int64_t w = std::min(all, (pp - stage - 1) * 2 + (v - 1) * pp);
        std::vector<Step> expected;
        for (std::int64_t k = 0; k < w; ++k) {
            expected.push_back(forward(k));
        }
        for (std::int64_t k = 0; k < all - w; ++k) {
            expected.push_back(forward(k + w));
            expected.push_back(backward(k));
        }
        for (std::int64_t k = all - w; k < all; ++k) {
            expected.push_back(backward(k));
        }
        EXPECT_EQ(steps_of(shape, stage), expected);
    });
}

// Qi et al. 2023, figure 2 (top), for four stages: all of them hold four micro-batches whose
// weight gradients are not done, so that stage p may be p weight gradients behind.
TEST(ZeroBubble, OfFourStages) {
    const PipelineShape shape{Schedule::ZeroBubble, 4, 1, 6};
    EXPECT_EQ(text(steps_of(shape, 0)), "F0 F1 F2 F3 I0 W0 F4 I1 W1 F5 I2 W2 I3 W3 I4 W4 I5 W5");
    EXPECT_EQ(text(steps_of(shape, 1)), "F0 F1 F2 I0 F3 I1 W0 F4 I2 W1 F5 I3 W2 I4 W3 I5 W4 W5");
    EXPECT_EQ(text(steps_of(shape, 2)), "F0 F1 I0 F2 I1 F3 I2 W0 F4 I3 W1 F5 I4 W2 I5 W3 W4 W5");
    EXPECT_EQ(text(steps_of(shape, 3)), "F0 I0 F1 I1 F2 I2 F3 I3 W0 F4 I4 W1 F5 I5 W2 W3 W4 W5");
}

// Without its weight gradients ZB-H1 is 1F1B. A weight gradient is done as early as the paper's
// rule lets it: when otherwise more than p micro-batches would wait for theirs at the next forward
// pass, or when no other pass is left.
TEST(ZeroBubble, IsOneForwardOneBackwardWithWeightGradientsInBetween) {
    for_all(Schedule::ZeroBubble, [](const PipelineShape& shape, std::int64_t stage) {
        PipelineShape plain = shape;
        plain.schedule = Schedule::OneForwardOneBackward;
        std::vector<Step> others;
        std::int64_t next_weight = 0;
        std::int64_t begun = 0;
        for (const auto& [kind, chunk, micro_batch] : steps_of(shape, stage)) {
            if (kind == 'W') {
                EXPECT_EQ(micro_batch, next_weight++);
            } else {
                begun += kind == 'F' ? 1 : 0;
                EXPECT_LE(begun - next_weight, std::min(shape.stages, shape.micro_batches));
                others.emplace_back(kind == 'I' ? 'B' : kind, chunk, micro_batch);
            }
        }
        EXPECT_EQ(next_weight, shape.micro_batches);
        EXPECT_EQ(others, steps_of(plain, stage));
    });
}

// In flight: forwards begun less backwards (gradients of inputs) done.
//     GPipe m; 1F1B and ZB-H1 min(m, p - stage); interleaved 2 (p - 1 - stage) + (v - 1) p + 1
//     chunks, at most all m v.
TEST(Schedules, BoundWhatIsInFlight) {
    for (const auto& [name, schedule] : schedules()) {
        for_all(schedule, [](const PipelineShape& shape, std::int64_t stage) {
            const std::int64_t p = shape.stages;
            const std::int64_t m = shape.micro_batches;
            const std::int64_t v = shape.chunks;
            std::int64_t expected = std::min(m, p - stage);
            if (shape.schedule == Schedule::GPipe) {
                expected = m;
            } else if (shape.schedule == Schedule::Interleaved) {
                expected = std::min(m * v, 2 * (p - 1 - stage) + (v - 1) * p + 1);
            }
            std::int64_t in_flight = 0;
            std::int64_t most = 0;
            for (const auto& [kind, chunk, micro_batch] : steps_of(shape, stage)) {
                in_flight += kind == 'F' ? 1 : 0;
                most = std::max(most, in_flight);
                in_flight -= kind == 'B' || kind == 'I' ? 1 : 0;
            }
            EXPECT_EQ(in_flight, 0);
            EXPECT_EQ(most, expected);
        });
    }
}

// Every pass once, and in an order in which it can be done.
TEST(Schedules, DoEveryPassOnce) {
    for (const auto& [name, schedule] : schedules()) {
        for_all(schedule, [](const PipelineShape& shape, std::int64_t stage) {
            const bool split = shape.schedule == Schedule::ZeroBubble;
            std::map<Step, int> times;
            for (const Step& step : steps_of(shape, stage)) {
                const auto& [kind, chunk, micro_batch] = step;
                EXPECT_EQ(++times[step], 1);
                if (kind != 'F') {
                    const Step before(kind == 'W' ? 'I' : 'F', chunk, micro_batch);
                    EXPECT_EQ(times.count(before), 1U);
                }
            }
            EXPECT_EQ(times.size(), static_cast<std::size_t>((split ? 3 : 2) * shape.chunks *
                                                             shape.micro_batches));
        });
    }
}

// Even where a message needs its receive posted.
TEST(PipelineBenchmark, RunsToItsEnd) {
    for (const auto& [name, schedule] : schedules()) {
        for_all(schedule, [](const PipelineShape& shape, std::int64_t stage) {
            if (stage == 0) {
                PipelineBenchmark benchmark;
                benchmark.shape = shape;
                EXPECT_EQ(unfinished_after_rendezvous(generate(benchmark)), 0);
            }
        });
    }
}

std::string error_of(const PipelineBenchmark& benchmark) {
    return test::message_of<InputError>([&] { return generate(benchmark); });
}

TEST(PipelineBenchmark, RefusesWhatCannotBe) {
    PipelineBenchmark benchmark;
    benchmark.shape = {Schedule::Interleaved, 4, 2, 6};
    EXPECT_THAT(error_of(benchmark), AllOf(HasSubstr("6 micro-batches"), HasSubstr("--pp 4")));
    benchmark.shape = {Schedule::GPipe, 4, 2, 8};
    EXPECT_THAT(error_of(benchmark), AllOf(HasSubstr("--vpp 2"), HasSubstr("gpipe")));
    benchmark.shape = {Schedule::GPipe, 0, 1, 8};
    EXPECT_THAT(error_of(benchmark), HasSubstr("--pp"));
    benchmark.shape = {Schedule::GPipe, 4, 1, 0};
    EXPECT_THAT(error_of(benchmark), HasSubstr("--micro-batches"));
    benchmark.shape = {Schedule::GPipe, 4, 1, 8};
    benchmark.forward = Time::ps(1500);
    EXPECT_THAT(error_of(benchmark), AllOf(HasSubstr("--forward"), HasSubstr("1.5 ns")));
    benchmark.forward = Time::max();
    EXPECT_THAT(error_of(benchmark), HasSubstr("--forward"));
    benchmark.forward = Time::ns(8'000'000'000'000'000);
    EXPECT_THAT(error_of(benchmark), HasSubstr("100 days"));
}

TEST(PipelinePicture, ShowsEveryUnitOfTime) {
    EXPECT_EQ(pipeline_picture({Schedule::OneForwardOneBackward, 2, 1, 2}, {1, 1, 1}),
              "stage 0 | F0 F1 .. .. B0 == .. B1 ==\n"
              "stage 1 | .. F0 B0 == F1 B1 ==\n");
    EXPECT_EQ(pipeline_picture({Schedule::Interleaved, 2, 2, 2}, {1, 1, 0}),
              "stage 0 | F0a F1a F0b F1b ... B0b ... B1b B0a B1a\n"
              "stage 1 | ... F0a F1a F0b B0b F1b B1b B0a B1a\n");
}

// docs/generators.md shows what is drawn.
TEST(PipelinePicture, OfTheDocumentation) {
    const std::string page = test::bytes_of(NPUNET_SOURCE_DIR "/docs/generators.md");
    for (const auto& [name, schedule] : schedules()) {
        const PipelineShape shape = schedule == Schedule::Interleaved
                                        ? PipelineShape{schedule, 2, 2, 4}
                                        : PipelineShape{schedule, 4, 1, 6};
        EXPECT_NE(page.find("```text\n" + pipeline_picture(shape, {1, 1, 1}) + "```\n"),
                  std::string::npos)
            << name;
    }
}

}  // namespace
}  // namespace npunet::generators

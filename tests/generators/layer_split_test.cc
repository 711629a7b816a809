#include "generators/transformer/layer_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/errors.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/training_step.h"
#include "tests/generators/peaks.h"
#include "tests/generators/rendezvous.h"
#include "tests/generators/steps.h"

namespace npunet::generators::layer_split_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Counts = std::vector<std::int64_t>;

/// `stages` counts that sum to `layers`, at least one each; the ends may have none where `empty`.
Counts random_counts(std::int64_t layers, std::int64_t stages, bool empty,
                     std::mt19937_64& random) {
    Counts counts(static_cast<std::size_t>(stages), 1);
    if (empty) {
        counts.front() = counts.back() = 0;
    }
    while (std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) < layers) {
        ++counts[random() % counts.size()];
    }
    return counts;
}

ModelSpec with_layers(ModelSpec model, std::int64_t layers) {
    model.layers = layers;
    return model;
}

ModelSpec with_sparse_layers(ModelSpec model) {
    model.moe.experts = 4;
    model.moe.top_k = 2;
    model.moe.ffn = 32;
    model.moe.dense_layers_first = 2;
    return model;
}

TEST(LayerCounts, AreReadAndWritten) {
    EXPECT_THAT(layer_counts("3", ""), ElementsAre(3));
    EXPECT_THAT(layer_counts("1,2*3,0", ""), ElementsAre(1, 2, 2, 2, 0));
    EXPECT_EQ(layer_counts_text({1, 2, 2, 2, 0}), "1,2*3,0");
    EXPECT_EQ(layer_counts_text({}), "");
    for (const char* bad : {"", "1,", ",1", "a", "1*0", "1*", "*2", "-1", "1.5", "1 2", "1*9999999",
                            "99999999999999999999"}) {
        EXPECT_THAT(
            test::message_of<InputError>([bad] { return layer_counts(bad, "--pp-layers"); }),
            AllOf(HasSubstr("--pp-layers"), HasSubstr("N*K")))
            << bad;
    }
}

// The virtual stages hold the numbers from 0 to L - 1 one after another.
TEST(LayerSplit, IsAPartitionOfTheModel) {
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 200; ++trial) {
        Plan plan;
        plan.pp = 2 + static_cast<std::int64_t>(random() % 5);
        plan.vpp = 1 + static_cast<std::int64_t>(random() % 3);
        plan.schedule = plan.vpp > 1 ? Schedule::Interleaved : Schedule::OneForwardOneBackward;
        const std::int64_t layers = plan.pp * plan.vpp + static_cast<std::int64_t>(random() % 40);
        const ModelSpec model = with_layers(small_model(), layers);
        const Counts counts = random_counts(layers, plan.pp * plan.vpp, random() % 2 == 0, random);
        plan.pp_layers = counts;
        const Plan resolved = resolve_plan(model, plan);
        std::int64_t next = 0;
        for (std::int64_t v = 0; v < plan.pp * plan.vpp; ++v) {
            const Counts own = layers_of_chunk(model, resolved, v % plan.pp, v / plan.pp);
            EXPECT_EQ(own.size(), counts[static_cast<std::size_t>(v)]);
            for (const std::int64_t layer : own) {
                EXPECT_EQ(layer, next++);
            }
        }
        EXPECT_EQ(next, layers);
        std::size_t most = 0;
        std::size_t sum = 0;
        for (std::int64_t stage = 0; stage < plan.pp; ++stage) {
            const Counts own = layers_of_stage(model, resolved, stage);
            EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
            most = std::max(most, own.size());
            sum += own.size();
        }
        EXPECT_EQ(sum, layers);
        EXPECT_EQ(most_layers_of_a_stage(model, resolved), most);
        EXPECT_EQ(resolve_plan(model, resolved).pp_layers, resolved.pp_layers);
    }
}

TEST(LayerSplit, OfEndsLeavesEqualSharesBetween) {
    const auto resolved = [](const char* name, std::int64_t pp, std::int64_t vpp,
                             std::int64_t first, std::int64_t last) {
        Plan plan;
        plan.pp = pp;
        plan.vpp = vpp;
        plan.schedule = vpp > 1 ? Schedule::Interleaved : Schedule::OneForwardOneBackward;
        plan.first_stage_layers = first;
        plan.last_stage_layers = last;
        return layer_counts_text(resolve_plan(load_model(name), plan).pp_layers);
    };
    EXPECT_EQ(resolved("llama3-405b", 8, 8, 1, 1), "1,2*62,1");
    EXPECT_EQ(resolved("llama3-405b", 16, 1, 7, 7), "7,8*14,7");
    EXPECT_EQ(resolved("deepseek-v3", 16, 1, 1, 0), "1,4*15");
    EXPECT_EQ(resolved("deepseek-v3", 16, 1, 0, 1), "4*15,1");
    EXPECT_EQ(resolved("deepseek-v3", 2, 1, 30, 31), "30,31");
    EXPECT_EQ(resolved("llama3-405b", 9, 1, 14, 0), "");  // equal after all
}

TEST(LayerSplit, RefusesWhatDoesNotSumUp) {
    const ModelSpec model = load_model("deepseek-v3");
    const auto refusal = [&model](std::int64_t pp, const Counts& counts, std::int64_t first = 0,
                                  std::int64_t last = 0) {
        Plan plan;
        plan.pp = pp;
        plan.pp_layers = counts;
        plan.first_stage_layers = first;
        plan.last_stage_layers = last;
        return error_of(model, plan);
    };
    EXPECT_THAT(refusal(16, {}),
                AllOf(HasSubstr("--pp: found 16; expected a divisor of the 61 layers"),
                      HasSubstr("--pp-layers 4*13,3*3"), HasSubstr("--first-stage-layers")));
    EXPECT_THAT(refusal(64, {}), HasSubstr("fewer stages than layers"));
    EXPECT_THAT(refusal(2, {30, 30}), AllOf(HasSubstr("60 layers"), HasSubstr("the model's 61")));
    EXPECT_THAT(refusal(2, {61}), AllOf(HasSubstr("1 numbers"), HasSubstr("2 stages")));
    EXPECT_THAT(refusal(3, {30, 0, 31}), AllOf(HasSubstr("0 for stage 1"), HasSubstr("1 to 61")));
    EXPECT_THAT(refusal(2, {-1, 62}), HasSubstr("-1 for stage 0"));
    EXPECT_THAT(refusal(2, {30, 31}, 30), HasSubstr("not beside --pp-layers"));
    EXPECT_THAT(refusal(1, {}, 30), HasSubstr("several pipeline stages"));
    EXPECT_THAT(refusal(16, {}, 3), AllOf(HasSubstr("--first-stage-layers: found 3"),
                                          HasSubstr("not 58"), HasSubstr("15 of 16 stages")));
    EXPECT_THAT(refusal(16, {}, 50), HasSubstr("not 11"));
    EXPECT_THAT(refusal(2, {}, 30, 30), AllOf(HasSubstr("30 and 30"), HasSubstr("61 layers")));
    EXPECT_THAT(refusal(2, {}, 0, 62), HasSubstr("0 to 61"));
}

/// Random degrees and schedules over random counts.
Plan random_plan(const ModelSpec& model, std::mt19937_64& random) {
    Plan plan;
    plan.dp = 1 + static_cast<std::int64_t>(random() % 2);
    plan.tp = 1 + static_cast<std::int64_t>(random() % 2);
    plan.pp = 2 + static_cast<std::int64_t>(random() % 3);
    plan.schedule = std::array{Schedule::GPipe, Schedule::OneForwardOneBackward,
                               Schedule::ZeroBubble, Schedule::Interleaved}[random() % 4];
    if (plan.schedule == Schedule::Interleaved) {
        plan.pp = 2;
        plan.vpp = 2;
    }
    plan.batch = 2 * plan.pp * plan.dp;
    plan.zero = static_cast<std::int64_t>(random() % 4);
    plan.recompute = static_cast<Recompute>(random() % 3);
    plan.overlap_grad_reduce = random() % 2 == 0;
    plan.pp_layers = random_counts(model.layers, plan.pp * plan.vpp, random() % 2 == 0, random);
    return plan;
}

// Who does a layer's work changes neither its amount nor what crosses the boundaries.
TEST(UnequalStages, DoTheSameWork) {
    std::mt19937_64 random(2);
    for (const ModelSpec& model :
         {with_layers(small_gpt(), 8), with_sparse_layers(with_layers(small_model(), 12))}) {
        for (int trial = 0; trial < 20; ++trial) {
            Plan plan = random_plan(model, random);
            if (model.layers % (plan.pp * plan.vpp) != 0) {
                continue;
            }
            const GeneratedWorkload uneven = generate(model, plan);
            EXPECT_EQ(unfinished_after_rendezvous(uneven), 0);
            plan.pp_layers.clear();
            const WorkloadTotals expected = totals_of(generate(model, plan));
            const WorkloadTotals found = totals_of(uneven);
            EXPECT_EQ(found.flops, expected.flops);
            ASSERT_EQ(found.traffic.size(), expected.traffic.size());
            for (std::size_t i = 0; i < found.traffic.size(); ++i) {
                EXPECT_EQ(found.traffic[i].bytes, expected.traffic[i].bytes)
                    << found.traffic[i].kind;
            }
        }
    }
}

TEST(UnequalStages, HaveThePredictedPeaksOfMemory) {
    std::mt19937_64 random(3);
    for (const ModelSpec& model :
         {with_layers(small_model(), 7), with_sparse_layers(with_layers(small_gpt(), 9))}) {
        for (int trial = 0; trial < 30; ++trial) {
            const Plan plan = resolve_plan(model, random_plan(model, random));
            expect_predicted_peaks(model, plan);
            const std::vector<StageMemory> stages = memory_of_stages(model, plan);
            for (std::int64_t stage = 0; stage < plan.pp; ++stage) {
                EXPECT_EQ(stages[static_cast<std::size_t>(stage)].layers,
                          layers_of_stage(model, plan, stage).size());
            }
        }
    }
}

TEST(UnequalStages, HaveThePredictedPeaksOfInference) {
    const ModelSpec model = with_layers(small_model(), 7);
    for (const Mode mode : {Mode::Prefill, Mode::Decode}) {
        for (const Counts& counts : {Counts{5, 2}, Counts{0, 7}, Counts{3, 4, 0}}) {
            Plan plan;
            plan.tp = 2;
            plan.pp = static_cast<std::int64_t>(counts.size());
            plan.pp_layers = counts;
            plan.batch = 6;
            plan.mode = mode;
            plan.context = 32;
            expect_predicted_peaks(model, resolve_plan(model, plan));
        }
    }
}

engine::Results results_of(const Counts& counts, std::int64_t micro_batches) {
    Plan plan;
    plan.pp = static_cast<std::int64_t>(counts.size());
    plan.pp_layers = counts;
    plan.batch = micro_batches;
    test::TestMachine machine = test::ring_machine(plan.pp, Rate(50'000'000'000), Time::ns(1));
    machine.system.roofline = true;
    machine.system.compute = {0.01, 1000.0};
    return test::run(study::workload_from(generate(with_layers(small_model(), 8), plan), {}),
                     machine);
}

// Once the pipeline is full, a micro-batch more costs what the slowest stage computes for it.
TEST(UnequalStages, AreAsFastAsTheSlowest) {
    const Time even = results_of({4, 4}, 16).finish;
    for (const Counts& counts : {Counts{4, 4}, Counts{2, 6}, Counts{1, 1, 6}, Counts{0, 8}}) {
        const engine::Results shorter = results_of(counts, 16);
        const engine::Results longer = results_of(counts, 17);
        EXPECT_EQ(longer.finish - shorter.finish,
                  longer.npus.back().compute - shorter.npus.back().compute);
        EXPECT_GE(shorter.finish, even);
    }
    EXPECT_GT(results_of({2, 6}, 16).finish, even);
}

}  // namespace
}  // namespace npunet::generators::layer_split_test

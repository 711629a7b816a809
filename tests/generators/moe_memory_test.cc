// Memory of experts: what the tokens they really take make them keep.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>

#include "generators/transformer/moe_routing.h"
#include "generators/transformer/moe_tokens.h"
#include "tests/generators/peaks.h"
#include "tests/support/counted_cases.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators {
namespace {

/// Every schedule, form of recomputation and stage of ZeRO.
Plan varied(Plan plan, std::mt19937_64& random) {
    plan.recompute = static_cast<Recompute>(random() % 3);
    plan.schedule = std::array{Schedule::GPipe, Schedule::OneForwardOneBackward,
                               Schedule::ZeroBubble, Schedule::Interleaved}[random() % 4];
    plan.batch *= 1 + static_cast<std::int64_t>(random() % 3);
    if (plan.schedule == Schedule::Interleaved) {
        plan.vpp = plan.pp == 2 ? 2 : 1;
        plan.batch = plan.dp * plan.micro_batch * plan.pp * 2;
        if (plan.vpp == 1) {
            plan.schedule = Schedule::OneForwardOneBackward;
        }
    }
    return plan;
}

// Tokens that popular experts take more of, drop, or have from a file: each rank's peak is its own
// estimate, to the byte, and the stage's estimate that of the rank with the most.
TEST(PeakOfASimulation, FollowsTheTokensOfTheExperts) {
    const test::TemporaryFolder folder;
    const auto file = folder.write("counts", "1 30 50 0 48 7 7 7 7\n* 1 2 3 4 5 6 7 8\n");
    ModelSpec recorded = small_moe();
    recorded.name = "recorded-moe";
    recorded.moe.routing = routing_named(file.string(), "here");
    ModelSpec dropping = small_moe();
    dropping.name = "dropping-moe";
    dropping.moe.capacity_factor = 0.5;
    std::mt19937_64 random(8);
    const std::size_t plans = test::random_cases(8, 100);  // of each model
    std::size_t compared = 0;
    std::size_t unequal = 0;
    for (const ModelSpec& model :
         {skewed_moe(), skewed_moe(0.75), dropping, recorded, small_moe()}) {
        for (const Plan& open : random_plans(model, plans, 31)) {
            if (open.world() == 1) {
                continue;
            }
            const Plan plan = resolve_plan(model, varied(open, random));
            expect_predicted_peaks(model, plan);
            ++compared;
            unequal += MoeAmounts(model, plan).even() ? 0 : 1;
        }
    }
    EXPECT_GT(unequal, 2 * plans);
    test::count_cases(compared);
}

// In inference the buffers of the largest layer and micro-batch.
TEST(PeakOfASimulation, FollowsTheTokensOfTheExpertsInInference) {
    ModelSpec latent = skewed_moe();
    latent.name = "latent-moe";
    latent.kv_heads = latent.heads;
    latent.head_dim = 16;
    latent.mla = {24, 16, 8, 8, 10};
    for (const ModelSpec& model : {small_moe(), skewed_moe(), skewed_moe(0.75), latent}) {
        for (const Mode mode : {Mode::Prefill, Mode::Decode}) {
            for (const std::int64_t pp : {1, 2}) {
                for (const std::int64_t etp : {1, 2}) {
                    Plan plan;
                    plan.dp = 4;
                    plan.tp = 2;
                    plan.pp = pp;
                    plan.ep = 4;
                    plan.etp = etp;
                    plan.micro_batch = 4;
                    plan.batch = 32;
                    plan.mode = mode;
                    plan.context = 32;
                    expect_predicted_peaks(model, resolve_plan(model, plan));
                }
            }
        }
    }
}

// By hand, one layer of a rank: n = 64 tokens of which it routes 32 (tp 2), h = 64, f = 32, E = 8,
// k = 2, two shared experts, 2 bytes. R routed copies come back, the experts took X:
//   2 n h 2 + 32 E 4 + 32 k 4 + X h 2 + X 2 f/etp 2 + X f/etp 2 + R h 2 + 3 n (2 f)/tp 2
TEST(MoeMemory, KeepsTheCopiesThatExpertsTook) {
    for (const double factor : {0.0, 0.6}) {
        for (const std::int64_t etp : {1, 2}) {
            const ModelSpec model = skewed_moe(factor);
            Plan plan;
            plan.dp = 4;
            plan.tp = 2;
            plan.ep = 4;
            plan.etp = etp;
            plan.micro_batch = 2;
            plan = resolve_plan(model, plan);
            const MoeAmounts amounts(model, plan);
            const MoeTokens tokens(model, plan);
            for (std::int32_t r = 0; r < 8; ++r) {
                const auto own = tokens.of(Rank(r), 3, 0);
                const std::int64_t routed = own->all_sent();
                const std::int64_t taken = own->all_experts();
                EXPECT_EQ(amounts.of(Rank(r), {MoeWork::Kept, 3, 0}).bytes,
                          2 * 64 * 64 * 2 + 32 * 8 * 4 + 32 * 2 * 4 + taken * 64 * 2 +
                              taken * 3 * (32 / etp) * 2 + routed * 64 * 2 +
                              3 * 64 * (2 * 32) / 2 * 2);
            }
        }
    }
}

// Weights alone, and whole on every rank: E biases a layer with experts.
TEST(MoeMemory, RouterBiasHasNoGradient) {
    const ModelSpec plain = small_moe();
    ModelSpec biased = plain;
    biased.moe.router_bias = true;
    EXPECT_EQ(parameter_count(biased), parameter_count(plain) + 3 * 8);
    for (const std::int64_t zero : {0, 1, 2, 3}) {
        Plan plan;
        plan.dp = 4;
        plan.tp = 2;
        plan.ep = 2;
        plan.zero = zero;
        plan.sequence_parallel = true;
        plan = resolve_plan(plain, plan);
        const StaticMemory without = memory_of_stages(plain, plan).front().fixed;
        const StaticMemory with = memory_of_stages(biased, plan).front().fixed;
        EXPECT_EQ(with.parameters, without.parameters + 3 * 8);
        EXPECT_EQ(with.weights, without.weights + 3 * 8 * 2);
        EXPECT_EQ(with.gradients, without.gradients);
        EXPECT_EQ(with.optimizer, without.optimizer);
        const auto bytes = [&plan](const ModelSpec& model) {
            return sum(generate(model, plan), "comm_size", [](const chakra::Node& node) {
                return node.type == chakra::NodeType::CommCollective;
            });
        };
        EXPECT_TRUE(bytes(biased) == bytes(plain)) << zero;
    }
}

}  // namespace
}  // namespace npunet::generators

#include "generators/transformer/model_flops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "generators/transformer/model_library.h"
#include "tests/generators/steps.h"

namespace npunet::generators {
namespace {

/// A GPT with an MLP of 4 h, as the papers have it.
ModelSpec gpt_of(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
    DenseSizes sizes;
    sizes.hidden = hidden;
    sizes.layers = layers;
    sizes.heads = heads;
    sizes.vocab = 51200;
    sizes.seq = 2048;
    return gpt_model(sizes);
}

Plan step_of(const ModelSpec& model, std::int64_t batch, std::int64_t sequence = 0,
             Mode mode = Mode::Train) {
    Plan plan;
    plan.dp = plan.batch = batch;
    plan.sequence = mode == Mode::Decode ? 0 : sequence;
    plan.context = mode == Mode::Decode ? sequence : 0;
    plan.mode = mode;
    return resolve_plan(model, plan);
}

double percent_of_peak(WideCount flops, double seconds, double npus, double peak_tflops) {
    return 100.0 * static_cast<double>(flops) / seconds / npus / (peak_tflops * 1e12);
}

// Narayanan et al. 2021, eq. 3 without recomputation, for the models of their table 1:
// 72 B s l h^2 (1 + s / (6 h) + V / (12 l h)) = 72 B s l h^2 + 12 B s^2 l h + 6 B s h V.
TEST(ModelFlops, OfGptsAreMegatronsFormula) {
    struct Row {
        std::int64_t layers, hidden, heads, batch;
    };
    for (const Row& row :
         {Row{24, 2304, 24, 512}, Row{30, 3072, 32, 512}, Row{36, 4096, 32, 512},
          Row{40, 6144, 48, 1024}, Row{48, 8192, 64, 1536}, Row{60, 10240, 80, 1792},
          Row{80, 12288, 96, 2304}, Row{96, 16384, 128, 2160}, Row{105, 20480, 128, 2520},
          Row{128, 25600, 160, 3072}}) {
        const ModelSpec model = gpt_of(row.layers, row.hidden, row.heads);
        const WideCount b = row.batch;
        const WideCount s = 2048;
        const WideCount l = row.layers;
        const WideCount h = row.hidden;
        const WideCount expected =
            72 * b * s * l * h * h + 12 * b * s * s * l * h + 6 * b * s * h * WideCount{51200};
        EXPECT_EQ(model_flops(model, step_of(model, row.batch)).megatron, expected) << row.hidden;
    }
}

// Korthikanti et al. 2022, table 5: seconds of a step and its MFU on A100s, both rounded.
TEST(ModelFlops, GivePublishedUtilizations) {
    struct Row {
        std::int64_t layers, hidden, heads, batch, npus;
        double seconds, mfu;
    };
    for (const Row& row :
         {Row{48, 6144, 64, 4, 8, 1.10, 41.5}, Row{96, 12288, 96, 64, 64, 13.75, 51.4},
          Row{105, 20480, 128, 280, 280, 37.83, 56.0},
          Row{128, 25600, 160, 512, 512, 71.49, 56.3}}) {
        const ModelSpec model = gpt_of(row.layers, row.hidden, row.heads);
        const double mfu = percent_of_peak(model_flops(model, step_of(model, row.batch)).megatron,
                                           row.seconds, static_cast<double>(row.npus), 312.0);
        EXPECT_NEAR(mfu, row.mfu, 0.05 + row.mfu * 0.005 / row.seconds);
    }
}

// Chowdhery et al. 2022, appendix B: 540.35e9 parameters, 118 layers of 48 heads of 256 channels,
// sequences of 2048, 238.3e3 tokens a second on 6144 TPU v4 of 275 TFLOP/s: MFU 46.2 %. The model
// shares keys and values among all heads and computes attention and MLP in parallel.
TEST(ModelFlops, OfPalmAreItsPaper) {
    ModelSpec palm;
    palm.hidden = 18432;
    palm.layers = 118;
    palm.heads = 48;
    palm.kv_heads = 1;
    palm.head_dim = 256;
    palm.ffn = 4 * 18432;
    palm.vocab = 256000;
    palm.seq = 2048;
    palm.tied_embeddings = true;
    EXPECT_NEAR(static_cast<double>(parameter_count(palm)), 540.35e9, 0.05e9);
    const Plan plan = step_of(palm, 2048);
    const double seconds = static_cast<double>(plan.tokens()) / 238.3e3;
    EXPECT_NEAR(percent_of_peak(model_flops(palm, plan).palm, seconds, 6144, 275.0), 46.2, 0.05);
}

// Weights that multiply a token, by hand, and the scores: 6 L s h with d a = h.
TEST(ModelFlops, OfGroupedQueriesAndGatedMlps) {
    const ModelSpec llama = load_model("llama2-70b");
    const WideCount h = 8192;
    const WideCount layer = h * h + 2 * h * 1024 + h * h + 3 * h * 28672;
    const WideCount tokens = 16 * 4096;
    const ModelFlops flops = model_flops(llama, step_of(llama, 16));
    EXPECT_EQ(flops.megatron, 6 * tokens * (80 * layer + 32000 * h) + 12 * 80 * 4096 * h * tokens);
    // Embedding and head, and 161 norms.
    EXPECT_EQ(flops.palm,
              6 * tokens * (80 * layer + 2 * 32000 * h + 161 * h) + 12 * 80 * 4096 * h * tokens);
}

TEST(ModelFlops, CountTheExpertsOfAToken) {
    const ModelSpec mixtral = load_model("mixtral-8x7b");
    const WideCount h = 4096;
    const WideCount layer = 2 * h * h + 2 * h * 1024 + 2 * 3 * h * 14336 + 8 * h;
    const WideCount tokens = 8 * 4096;
    const ModelFlops flops = model_flops(mixtral, step_of(mixtral, 8, 4096));
    EXPECT_EQ(flops.megatron, 6 * tokens * (32 * layer + 32000 * h) + 12 * 32 * 4096 * h * tokens);
    EXPECT_EQ(flops.palm, 6 * tokens * WideCount{12'879'925'248} + 12 * 32 * 4096 * h * tokens);
}

// Queries and keys of 128 + 64 channels, values of 128; 3 dense layers, 58 with 8 of 256 experts
// and a shared one, and a router.
TEST(ModelFlops, OfLatentAttentionAndSharedExperts) {
    const ModelSpec deepseek = load_model("deepseek-v3");
    const WideCount h = 7168;
    const WideCount attention =
        h * (1536 + 512 + 64) + 1536 * 128 * 192 + 512 * 128 * (128 + 128) + 128 * 128 * h;
    const WideCount dense = attention + 3 * h * 18432;
    const WideCount sparse = attention + 9 * 3 * h * 2048 + 256 * h;
    const WideCount tokens = 4 * 4096;
    const WideCount scores = WideCount{6} * 61 * 4096 * 128 * (192 + 128) * tokens;
    const ModelFlops flops = model_flops(deepseek, step_of(deepseek, 4));
    EXPECT_EQ(flops.megatron, 6 * tokens * (3 * dense + 58 * sparse + 129280 * h) + scores);
    EXPECT_EQ(flops.palm, 6 * tokens * active_parameter_count(deepseek) + scores);
}

// A third of training; prefill has logits of one token a sequence, decode one token a sequence
// against the cache.
TEST(ModelFlops, OfInferenceAreTheForwardPass) {
    const ModelSpec model = load_model("llama3-8b");
    const WideCount head = WideCount{model.vocab} * model.hidden;
    const ModelFlops train = model_flops(model, step_of(model, 4, 2048));
    const ModelFlops prefill = model_flops(model, step_of(model, 4, 2048, Mode::Prefill));
    EXPECT_EQ(3 * prefill.palm, train.palm);
    EXPECT_EQ(3 * (prefill.megatron + 2 * head * 4 * 2047), train.megatron);
    const ModelFlops decode = model_flops(model, step_of(model, 4, 2048, Mode::Decode));
    const WideCount scores = WideCount{4} * 32 * 2048 * 4096 * 4;
    EXPECT_EQ(decode.megatron, 2 * WideCount{multiplying_weights(model)} * 4 + scores);
    EXPECT_EQ(decode.palm, 2 * WideCount{parameter_count(model)} * 4 + scores);
}

// The counts depend neither on how the step is divided nor on what is computed again; a padded
// vocabulary is the head's.
TEST(ModelFlops, AreTheModels) {
    const ModelSpec model = small_model();
    for (Plan plan : many_plans()) {
        const ModelFlops flops = model_flops(model, plan);
        const Plan alone = step_of(model, plan.batch);
        EXPECT_EQ(flops.megatron, model_flops(model, alone).megatron);
        EXPECT_EQ(flops.palm, model_flops(model, alone).palm);
        plan.recompute = Recompute::Full;
        EXPECT_EQ(flops.megatron, model_flops(model, plan).megatron);
    }
    ModelSpec padded = model;
    padded.vocab = 157;
    padded.vocab_divisible_by = 8;
    Plan plan;
    plan.tp = 4;
    plan.batch = 2;
    plan = resolve_plan(padded, plan);
    ModelSpec whole = padded;
    whole.vocab = 160;
    EXPECT_EQ(model_flops(padded, plan).megatron, model_flops(whole, plan).megatron);
    EXPECT_LT(model_flops(padded, plan).palm, model_flops(whole, plan).palm);
}

}  // namespace
}  // namespace npunet::generators

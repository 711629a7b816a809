// FLOPs between calls against the formulas of a plain GPT, and what changes them.
#include "generators/megatron/program/segment_costs.h"

#include <gtest/gtest.h>

namespace npunet::generators::megatron {

namespace {

TrainingRun gpt(const char* size, std::int64_t tp) {
    TrainingRun run = genstack_run(size);
    run.parallelism.tp = tp;
    run.parallelism.dp = 2;
    run.global_batch_size = 64;
    return resolve_run(run);
}

// A layer forward: 6 b s h^2 / T + 4 b s^2 h / T + 2 b s h^2 / T, then 16 b s h^2 / T; backward
// each multiplication twice, the weight gradients of QKV and the first MLP matrix apart; the head
// 2 b s h v each time.
TEST(SegmentCostsOfAGpt, AreTheFormulas) {
    for (const char* const size : {"small", "6b", "175b"}) {
        for (const std::int64_t tp : {1, 2, 4}) {
            const TrainingRun run = gpt(size, tp);
            const SegmentCosts costs(run);
            const std::int64_t s = run.model.seq;
            const std::int64_t h = run.model.hidden;
            const std::int64_t linear = run.micro_batch * s * h * h / tp;
            const std::int64_t core = run.micro_batch * s * s * h / tp;
            const std::int64_t logits = 2 * run.micro_batch * s * h * 50257;
            EXPECT_EQ(costs.attention_forward().flops, 6 * linear + 4 * core + 2 * linear);
            EXPECT_EQ(costs.mlp_forward().flops, 16 * linear);
            EXPECT_EQ(costs.mlp_dgrad().flops, 16 * linear + 8 * linear);
            EXPECT_EQ(costs.mlp_wgrad().flops, 8 * linear);
            EXPECT_EQ(costs.attention_dgrad().flops, 4 * linear + 8 * core + 6 * linear);
            EXPECT_EQ(costs.attention_wgrad().flops, 6 * linear);
            EXPECT_EQ(costs.head_forward().flops, logits);
            EXPECT_EQ(costs.head_dgrad().flops, logits);
            EXPECT_EQ(costs.head_wgrad().flops, logits);
        }
    }
}

// Bytes of fc1's weight gradient in fp32, [n, h] and [n, 4h/T] read, the [h, 4h/T] gradient read
// and written: 4 (n h + 4 n h / T + 2 * 4 h^2 / T).
TEST(SegmentCostsOfAGpt, CountEveryOperandOnce) {
    const TrainingRun run = gpt("small", 2);
    const std::int64_t n = run.micro_batch * 1024;
    const std::int64_t h = 768;
    EXPECT_EQ(SegmentCosts(run).mlp_wgrad().bytes, 4 * (n * h + 2 * n * h + 4 * h * h));
    // An Adam step without master weights: gradient, both moments twice, weight.
    EXPECT_EQ(SegmentCosts(run).optimizer(1000).bytes, 1000 * (4 + 16 + 4));
}

// Grouped queries and a gated MLP: QKV has h (q + 2 k) weights, the MLP 3 h f. With cp each rank
// has s / cp queries but all s keys, half of which are masked; the fused core has five backward
// products to two forward.
TEST(SegmentCostsOfALlama, FollowItsWidths) {
    TrainingRun run = npunet_run("llama3-8b");
    run.parallelism.tp = 2;
    run.parallelism.cp = 4;
    run.global_batch_size = 8;
    run = resolve_run(run);
    const SegmentCosts costs(run);
    const std::int64_t s = run.model.seq;
    const std::int64_t n = run.micro_batch * s / 4;
    const std::int64_t h = 4096;
    EXPECT_EQ(costs.attention_forward().flops,
              (2 * n * h * (4096 + 2 * 1024) + 2 * n * s * 4096 + 2 * n * 4096 * h) / 2);
    EXPECT_EQ(costs.mlp_forward().flops, 3 * 2 * n * h * 14336 / 2);
    EXPECT_EQ(costs.mlp_dgrad().flops + costs.mlp_wgrad().flops, 2 * costs.mlp_forward().flops);
    EXPECT_EQ(costs.attention_dgrad().flops + costs.attention_wgrad().flops,
              2 * costs.attention_forward().flops + n * s * 4096 / 2);
    // 128256 tokens are a multiple of 128 x 2.
    EXPECT_EQ(costs.head_forward().flops, 2 * n * h * 128256 / 2);
}

// Unfused scores are written to memory and all computed: 4 b s^2 h FLOPs, of which the fused core
// skips the masked 2.
TEST(SegmentCostsOfAGpt, WriteScoresWithoutFusedAttention) {
    const TrainingRun genstack = gpt("small", 1);
    TrainingRun fused = genstack;
    fused.dialect = Dialect::Npunet;
    EXPECT_EQ(SegmentCosts(genstack).attention_forward().flops,
              SegmentCosts(fused).attention_forward().flops +
                  2 * genstack.micro_batch * 1024 * 1024 * 768);
    EXPECT_GT(SegmentCosts(genstack).attention_forward().bytes,
              SegmentCosts(fused).attention_forward().bytes +
                  3 * genstack.micro_batch * 12 * 1024 * 1024 * 4);
}

}  // namespace

}  // namespace npunet::generators::megatron

// The buckets of gradients against the counts of parameters, and of a model by hand.
#include "generators/megatron/program/gradient_buckets.h"

#include <gtest/gtest.h>

#include "random_runs.h"
#include "run_facts.h"

namespace npunet::generators::megatron {

namespace {

/// Parameters of a stage from the model's own counts: all, and those of experts.
std::int64_t dense_parameters(const TrainingRun& run, std::int64_t stage) {
    const ModelSpec& model = run.model;
    const std::int64_t tp = run.parallelism.tp;
    std::int64_t sum = 0;
    const Share share = share_of(run, stage);
    const LayerParameters dense = layer_parameters(model);
    sum += share.dense * ((dense.matrices + dense.split_biases) / tp + dense.replicated);
    if (share.experts > 0) {
        const LayerParameters moe = moe_layer_parameters(model);
        sum += share.experts *
               ((moe.matrices + moe.split_biases) / tp + moe.replicated - moe.router_bias);
    }
    const std::int64_t table = run.local_vocab() * model.hidden;
    if (share.first) {
        sum += table + position_parameters(model);
    }
    if (share.last) {
        sum += norm_parameters(model);
        sum += run.parallelism.pp > 1 || !model.tied_embeddings ? table : 0;
    }
    return sum;
}

// Buckets hold every parameter once: without padding their sum is the stage's share of the model.
TEST(GradientBuckets, HoldEveryParameterOnce) {
    for (TrainingRun run : random_runs(200, 3)) {
        run.distributed_optimizer = false;
        run.overlap_param_gather = false;
        for (std::int64_t stage = 0; stage < run.parallelism.pp; ++stage) {
            std::int64_t dense = 0;
            std::int64_t experts = 0;
            for (std::int64_t chunk = 0; chunk < run.vpp; ++chunk) {
                for (const GradientBucket& bucket : gradient_buckets(run, stage, chunk)) {
                    (bucket.replicas == GroupRole::ExpertData ? experts : dense) += bucket.elements;
                }
            }
            EXPECT_EQ(dense, dense_parameters(run, stage)) << text(run) << " stage " << stage;
            const Share share = share_of(run, stage);
            const std::int64_t of_layer =
                share.experts > 0 ? moe_layer_parameters(run.model).experts : 0;
            EXPECT_EQ(experts, share.experts * of_layer /
                                   (run.parallelism.expert_tensor() * run.parallelism.ep))
                << text(run);
        }
    }
}

// GPT-3 175B, pp 4, distributed optimizer: the first stage has the table of tokens in a bucket of
// its own, each bucket ends at a multiple of lcm(dp, 128), and with overlap buckets of 40 million
// elements are closed by the parameter that passes that.
TEST(GradientBuckets, OfALargeModel) {
    TrainingRun run = npunet_run("175b");
    run.parallelism.tp = 8;
    run.parallelism.pp = 4;
    run.parallelism.dp = 6;
    run.global_batch_size = 24;
    run.distributed_optimizer = true;
    run = resolve_run(run);
    const std::int64_t table = run.local_vocab() * 12288;
    EXPECT_EQ(run.local_vocab(), 6400);  // 50257 to a multiple of 128 x 8, over 8
    const std::vector<GradientBucket> whole = gradient_buckets(run, 0, 0);
    ASSERT_EQ(whole.size(), 2U);
    EXPECT_EQ(whole[1].elements, (table + 383) / 384 * 384);
    EXPECT_EQ(whole[0].elements % 384, 0);
    // 24 layers of 12 h^2 / 8 + 7 h / 8 + 6 h, and the positions: all of them multiples of 64.
    const std::int64_t h = 12288;
    const std::int64_t rest = 24 * (12 * h * h / 8 + 7 * h / 8 + 6 * h) + 2048 * h;
    EXPECT_EQ(whole[0].elements, (rest + 383) / 384 * 384);

    run.overlap_grad_reduce = true;
    const std::vector<GradientBucket> parts = gradient_buckets(run, 0, 0);
    EXPECT_GT(parts.size(), 24U);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        EXPECT_EQ(parts[i].elements % 384, 0);
        sum += parts[i].elements;
        if (i + 2 < parts.size()) {
            EXPECT_GE(parts[i].elements, 40'000'000);
            EXPECT_LT(parts[i].elements, 40'000'000 + 4 * h * h / 8 + 384);  // the largest matrix
        }
    }
    EXPECT_GE(sum, rest + table);
    EXPECT_EQ(gradient_buckets(run, 1, 0).size(), 1U) << "only the first stage is divided";
}

}  // namespace

}  // namespace npunet::generators::megatron

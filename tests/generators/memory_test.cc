// Closed forms of memory, and the peaks that simulations of the traces report.

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "generators/transformer/memory_estimate.h"
#include "generators/transformer/model_library.h"
#include "generators/transformer/saved_activations.h"
#include "generators/transformer/training_step.h"
#include "tests/generators/peaks.h"
#include "tests/generators/steps.h"

namespace npunet::generators {
namespace {

/// GPT's block with hidden size `h` and `a` heads: an MLP of 4 h, and dropout.
ModelSpec gpt(std::int64_t h, std::int64_t a) {
    ModelSpec model = small_gpt();
    model.hidden = h;
    model.heads = a;
    model.kv_heads = a;
    model.head_dim = h / a;
    model.ffn = 4 * h;
    model.seq = 512;
    model.dropout = true;
    return model;
}

struct Block {
    std::int64_t s, b, h, a, t;
    bool split;  ///< sequence parallelism
};

std::vector<Block> blocks() {
    std::vector<Block> list;
    std::mt19937_64 random(4);
    for (int i = 0; i < 60; ++i) {
        const std::int64_t t = std::int64_t{1} << (random() % 4);
        const std::int64_t a = 8 * (1 + static_cast<std::int64_t>(random() % 4));
        const std::int64_t h = a * 2 * (1 + static_cast<std::int64_t>(random() % 16));
        const std::int64_t s = 8 * (1 + static_cast<std::int64_t>(random() % 32));
        list.push_back(
            {s, 1 + static_cast<std::int64_t>(random() % 4), h, a, t, random() % 2 == 0});
    }
    return list;
}

Plan plan_of(const Block& block, const ModelSpec& model, Recompute recompute = Recompute::None,
             AttentionKernel kernel = AttentionKernel::Auto) {
    Plan plan;
    plan.tp = block.t;
    plan.micro_batch = block.b;
    plan.sequence = block.s;
    plan.sequence_parallel = block.split;
    plan.recompute = recompute;
    plan.attention_kernel = kernel;
    return resolve_plan(model, plan);
}

std::int64_t kept(const ModelSpec& model, const Plan& plan) {
    return layer_memory(model, plan, 0).kept();
}

// Korthikanti et al. 2022: s b h (10 + 24/t + 5 a s / (h t)), with sequence parallelism
// s b h (34 + 5 a s / h) / t; selective recomputation drops the terms with a s; full recomputation
// keeps the layer's input, 2 s b h, which sequence parallelism splits.
TEST(SavedActivations, OfAGptBlockAreThePublishedFormulas) {
    for (const Block& x : blocks()) {
        const ModelSpec model = gpt(x.h, x.a);
        const std::int64_t sbh = x.s * x.b * x.h;
        const std::int64_t core = 5 * x.a * x.s * x.s * x.b / x.t;
        const std::int64_t rest = x.split && x.t > 1 ? 34 * sbh / x.t : 10 * sbh + 24 * sbh / x.t;
        EXPECT_EQ(kept(model, plan_of(x, model)), rest + core);
        EXPECT_EQ(kept(model, plan_of(x, model, Recompute::Selective)), rest);
        EXPECT_EQ(kept(model, plan_of(x, model, Recompute::Full)), 2 * sbh / (x.split ? x.t : 1));
        // What is computed again is what was dropped.
        EXPECT_EQ(layer_memory(model, plan_of(x, model, Recompute::Selective), 0).recomputed, core);
        EXPECT_EQ(layer_memory(model, plan_of(x, model, Recompute::Full), 0).recomputed,
                  rest + core - 2 * sbh / (x.split ? x.t : 1));
    }
}

// A fused core keeps 4 bytes a row in place of 5 a score. Without dropout there are neither masks
// (one byte each: two of s b h, one of the scores) nor the scores that one was applied to.
TEST(SavedActivations, WithoutScoresAndWithoutMasks) {
    for (const Block& x : blocks()) {
        ModelSpec model = gpt(x.h, x.a);
        const std::int64_t scores = x.a * x.s * x.s * x.b / x.t;
        const std::int64_t rows = x.a * x.s * x.b / x.t;
        const std::int64_t masks = 2 * x.s * x.b * x.h / (x.split ? x.t : 1);
        const auto unfused = AttentionKernel::Unfused;
        const auto fused = AttentionKernel::Fused;
        const std::int64_t whole = kept(model, plan_of(x, model, Recompute::None, unfused));
        EXPECT_EQ(kept(model, plan_of(x, model, Recompute::None, fused)),
                  whole - 5 * scores + 4 * rows);
        model.dropout = false;
        EXPECT_EQ(kept(model, plan_of(x, model, Recompute::None, unfused)),
                  whole - masks - 3 * scores);
        EXPECT_EQ(kept(model, plan_of(x, model)), whole - masks - 5 * scores + 4 * rows);
    }
}

// n tokens, n' = n / t with sequence parallelism: four vectors of h at the norms and the linear
// layers; queries and result a d / t; keys and values g d / t (at least one head), of the
// whole sequence where they are gathered and of the rank's tokens in a ring; gate and up, and their
// product, 3 f / t; 4 bytes a row and head.
TEST(SavedActivations, OfGroupedQueriesAndGatedMlps) {
    const ModelSpec model = small_model();
    for (const Plan& plan : many_plans()) {
        const std::int64_t n = plan.micro_batch * plan.sequence / plan.cp;
        const std::int64_t shard = plan.sequence_parallel ? n / plan.tp : n;
        const std::int64_t key_heads = std::max<std::int64_t>(2 / plan.tp, 1);
        const std::int64_t key_tokens =
            plan.context_comm == ContextComm::AllGather ? n * plan.cp : n;
        EXPECT_EQ(kept(model, plan), 2 * (4 * shard * 64 + 2 * n * 128 / plan.tp +
                                          2 * key_tokens * key_heads * 16 + 3 * n * 96 / plan.tp) +
                                         4 * n * 8 / plan.tp)
            << describe(plan);
    }
}

// DeepSeek-V3, 4096 tokens, one rank: vectors of 7168; low-rank vectors 1536 + 512 + 64 and their
// norms 1536 + 512; 128 heads of 192 + 192 + 128 + 128 channels; dense MLP 3 x 18432.
TEST(SavedActivations, OfLatentAttention) {
    ModelSpec model = load_model("deepseek-v3");
    model.moe = {};
    const Plan plan = resolve_plan(model, Plan{});
    EXPECT_EQ(kept(model, plan),
              4096LL * (2 * (4 * 7168 + 2112 + 2048 + 128 * 640 + 3 * 18432) + 4 * 128));
}

// Rajbhandari et al. 2020: (w + g + o) P; 2 P + 2 P + 12 P / N; 2 P + 14 P / N; 16 P / N. Units are
// divided one by one, so each may be rounded up by a parameter.
TEST(StaticMemory, IsDividedByTheStageOfZero) {
    ModelSpec model = load_model("llama2-7b");
    model.dtypes.gradients = 2;
    const std::int64_t p = parameter_count(model);
    const std::int64_t n = 64;
    Plan plan;
    plan.dp = 32;
    plan.cp = 2;
    plan = resolve_plan(model, plan);
    const std::int64_t expected[] = {16 * p, 4 * p + 12 * p / n, 2 * p + 14 * p / n, 16 * p / n};
    for (plan.zero = 0; plan.zero <= 3; ++plan.zero) {
        const std::vector<StageMemory> stages = memory_of_stages(model, plan);
        ASSERT_EQ(stages.size(), 1U);
        EXPECT_EQ(stages[0].fixed.parameters, p);
        EXPECT_GE(stages[0].fixed.total(), expected[plan.zero]);
        EXPECT_LE(stages[0].fixed.total(), expected[plan.zero] + 16 * (model.layers + 2));
    }
}

// What the stages hold is the model: every parameter once over tp and pp, what tp does not divide
// on every rank, a tied table on both ends of the pipeline.
TEST(StaticMemory, CoversTheModel) {
    for (const ModelSpec& model : {small_model(), small_gpt()}) {
        for (const Plan& plan : many_plans()) {
            std::int64_t parameters = 0;
            for (const StageMemory& stage : memory_of_stages(model, plan)) {
                parameters += plan.tp * stage.fixed.parameters;
                EXPECT_EQ(stage.fixed.weights, 2 * stage.fixed.parameters);
                EXPECT_EQ(stage.fixed.gradients, 4 * stage.fixed.parameters);
                EXPECT_EQ(stage.fixed.optimizer, 12 * stage.fixed.parameters);
            }
            std::int64_t expected = parameter_count(model);
            expected += (plan.tp - 1) * (model.layers * layer_parameters(model).replicated +
                                         position_parameters(model) + norm_parameters(model));
            expected += model.tied_embeddings && plan.pp > 1 ? model.vocab * model.hidden : 0;
            EXPECT_EQ(parameters, expected) << model.name << " " << describe(plan);
        }
    }
}

// Experts are divided by ep and by the tensor parallelism inside them; their replicas are what is
// left of a stage's ranks: here 8 x 2 / (2 x 4) = 2, against 8 of the other parameters.
TEST(StaticMemory, ExpertsHaveReplicasOfTheirOwn) {
    const ModelSpec model = load_model("mixtral-8x7b");
    Plan plan;
    plan.dp = 8;
    plan.tp = 2;
    plan.ep = 4;
    plan.batch = 8;
    plan.sequence = 4096;
    plan.zero = 1;
    plan = resolve_plan(model, plan);
    const std::vector<ModelUnit> units = units_of_stage(model, plan, 0);
    const std::int64_t experts = 8LL * 3 * 4096 * 14336 / (4 * 2);
    const std::int64_t others = (4096LL * 6144 + 4096 * 4096) / 2 + 2 * 4096 + 4096 * 8;
    ASSERT_EQ(units.size(), 34U);
    EXPECT_EQ(units[5].memory.parameters, experts + others);
    EXPECT_EQ(units[5].memory.optimizer, 12 * (experts / 2 + others / 8));
}

// 1F1B: min(m, pp - stage); GPipe: m.
TEST(MicroBatchesInFlight, AreThoseOfTheSchedule) {
    for (const Plan& plan : many_plans()) {
        for (const StageMemory& stage : memory_of_stages(small_model(), plan)) {
            EXPECT_EQ(stage.in_flight, plan.schedule == Schedule::GPipe
                                           ? plan.micro_batches()
                                           : std::min(plan.micro_batches(), plan.pp - stage.stage));
        }
    }
}

// 2 g d channels of 2 bytes a token and layer, divided by tp as far as there are heads; latent
// attention kv + r, which tp cannot divide. Prefill holds the prompt, decode its context.
TEST(Cache, HoldsKeysAndValuesOfEverySequence) {
    for (const std::int64_t tp : {1, 2, 4, 8}) {
        Plan plan;
        plan.dp = 2;
        plan.tp = tp;
        plan.pp = 2;
        plan.batch = 12;
        plan.mode = Mode::Prefill;
        plan.sequence = 24;
        const ModelSpec model = small_model();
        const std::int64_t heads = std::max<std::int64_t>(2 / tp, 1);
        for (const StageMemory& stage : memory_of_stages(model, resolve_plan(model, plan))) {
            EXPECT_EQ(stage.cache, 2 * 6 * 24 * 2 * heads * 16 * 2);
        }
        plan.mode = Mode::Decode;
        plan.sequence = 0;
        plan.context = 1000;
        for (const StageMemory& stage : memory_of_stages(model, resolve_plan(model, plan))) {
            EXPECT_EQ(stage.cache, 2 * 6 * 1000 * 2 * heads * 16 * 2);
        }
        ModelSpec latent = model;
        latent.kv_heads = latent.heads;
        latent.mla = {24, 16, 8, 8, 16};
        for (const StageMemory& stage : memory_of_stages(latent, resolve_plan(latent, plan))) {
            EXPECT_EQ(stage.cache, 2 * 6 * 1000 * (16 + 8) * 2);
        }
    }
}

/// Experts in all layers but the first, two of each token's and a shared one.
ModelSpec with_experts(ModelSpec model) {
    model.moe.experts = 4;
    model.moe.top_k = 2;
    model.moe.ffn = 32;
    model.moe.shared_experts = 1;
    model.moe.dense_layers_first = 1;
    return model;
}

// static + in flight x activations + what recomputation makes again, to the byte, whatever the
// times of the nodes are: dense, grouped, gated and latent models with and without experts, fused
// and not, every schedule, form of context parallelism and stage of ZeRO.
TEST(PeakOfASimulation, IsThePredictedOne) {
    std::mt19937_64 random(5);
    ModelSpec latent = small_model();
    latent.kv_heads = latent.heads;
    latent.mla = {24, 16, 8, 8, 10};
    for (const ModelSpec& model : {small_model(), gpt(64, 8), latent, with_experts(latent)}) {
        for (int trial = 0; trial < 40; ++trial) {
            Plan plan;
            plan.dp = 1 + static_cast<std::int64_t>(random() % 2);
            plan.tp = std::int64_t{1} << (random() % 3);
            plan.cp = 1 + static_cast<std::int64_t>(random() % 2);
            plan.pp = std::int64_t{1} << (random() % 3);
            plan.dp += plan.world() == 1 ? 1 : 0;
            plan.micro_batch = 1 + static_cast<std::int64_t>(random() % 2);
            plan.batch = plan.dp * plan.micro_batch * (1 + static_cast<std::int64_t>(random() % 6));
            plan.sequence = 32;
            plan.sequence_parallel = random() % 2 == 0;
            plan.overlap_grad_reduce = random() % 2 == 0;
            plan.schedule = std::array{Schedule::GPipe, Schedule::OneForwardOneBackward,
                                       Schedule::ZeroBubble, Schedule::Interleaved}[random() % 4];
            if (plan.schedule == Schedule::Interleaved) {
                plan.pp = 2;
                plan.vpp = 2;
                plan.batch =
                    plan.dp * plan.micro_batch * 2 * (1 + static_cast<std::int64_t>(random() % 3));
            }
            plan.zero = static_cast<std::int64_t>(random() % 4);
            plan.context_comm = static_cast<ContextComm>(random() % 3);
            plan.recompute = static_cast<Recompute>(random() % 3);
            plan.attention_kernel = static_cast<AttentionKernel>(random() % 3);
            expect_predicted_peaks(model, resolve_plan(model, plan));
        }
    }
}

// Weights, the cache of all sequences, and the buffers of the largest half or of the head.
TEST(PeakOfASimulation, IsThePredictedOneOfInference) {
    ModelSpec latent = small_model();
    latent.kv_heads = latent.heads;
    latent.mla = {24, 16, 8, 8, 10};
    for (const ModelSpec& model : {small_model(), gpt(64, 8), latent}) {
        for (const Mode mode : {Mode::Prefill, Mode::Decode}) {
            for (const std::int64_t pp : {1, 2, 4}) {
                for (const std::int64_t batch : {2, 8}) {
                    Plan plan;
                    plan.tp = 2;
                    plan.pp = pp;
                    plan.batch = batch;
                    plan.mode = mode;
                    plan.context = 32;
                    expect_predicted_peaks(model, resolve_plan(model, plan));
                }
            }
        }
    }
}

// The price of tracking is a trace's size: a tensor a node on average, and no more.
TEST(MemoryTensors, AreFew) {
    for (const Plan& plan : many_plans()) {
        const GeneratedWorkload workload = generate(small_model(), plan);
        for (const Role& role : workload.roles()) {
            std::size_t uses = 0;
            for (const NodeTemplate& node : role.nodes) {
                uses += node.reads.size() + node.writes.size();
            }
            EXPECT_LE(uses, role.nodes.size()) << describe(plan);
        }
    }
}

}  // namespace
}  // namespace npunet::generators

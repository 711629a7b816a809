// Runs of the npunet dialect that differ in everything, for tests of what holds for all of them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/errors.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

/// Draws by remainders: std::uniform_int_distribution differs from library to library.
class Dice {
public:
    explicit Dice(std::uint32_t seed) : engine_(seed) {}
    std::int64_t below(std::int64_t count) { return static_cast<std::int64_t>(engine_()) % count; }
    std::int64_t one_of(const std::vector<std::int64_t>& values) {
        return values[static_cast<std::size_t>(below(static_cast<std::int64_t>(values.size())))];
    }
    bool heads() { return below(2) == 1; }

private:
    std::mt19937 engine_;
};

/// A plain GPT, a Llama with grouped queries, or one with experts.
inline ModelSpec random_model(Dice& dice) {
    // Members of a braced list are evaluated in their order.
    ModelSpec model = dense_model({.hidden = 8 * dice.one_of({8, 12, 40}),
                                   .layers = 4 * dice.one_of({2, 4, 6}),
                                   .heads = 8,
                                   .vocab = 1000 + dice.below(3000),
                                   .seq = 64});
    const std::int64_t kind = dice.below(3);
    if (kind == 0) {
        model.gated = false;
        model.norm = Norm::Layer;
        model.biases = gpt_biases;
        model.positions = Positions::Learned;
        model.tied_embeddings = true;
    } else {
        model.kv_heads = 4;
        model.tied_embeddings = dice.heads();
    }
    if (kind == 2) {
        model.moe.experts = 8;
        model.moe.top_k = dice.one_of({1, 2});
        model.moe.ffn = 64;
        model.moe.shared_experts = dice.below(2);
        model.moe.dense_layers_first = dice.below(3);
        model.moe.router_bias = dice.heads();
    }
    return model;
}

inline TrainingRun random_run(Dice& dice) {
    TrainingRun run;
    run.model_size = "drawn";
    run.model = random_model(dice);
    run.dtype = dice.heads() ? DataType::BFloat16 : DataType::Float32;
    run.vocab_divisible_by = dice.one_of({1, 128});
    Parallelism& p = run.parallelism;
    p.tp = dice.one_of({1, 2, 4});
    p.cp = dice.one_of({1, 1, 2, 4});
    p.dp = dice.one_of({1, 2, 3, 4});
    p.pp = dice.one_of({1, 2, 4});
    if (run.model.moe.experts > 0) {
        p.ep = dice.one_of({1, 2, 4});
        p.etp = dice.one_of({0, 1, 2});
    }
    run.vpp = p.pp > 1 ? dice.one_of({1, 2}) : 1;
    run.micro_batches = dice.one_of({1, 2, 4, 6, 8});
    run.global_batch_size = run.micro_batches * p.dp * dice.one_of({1, 2});
    run.sequence_parallel = p.tp > 1 && dice.heads();
    run.distributed_optimizer = dice.heads();
    run.overlap_grad_reduce = dice.heads();
    run.overlap_param_gather = run.distributed_optimizer && run.overlap_grad_reduce && dice.heads();
    run.overlap_p2p = dice.heads();
    run.fused_cross_entropy = dice.heads();
    run.context_comm = static_cast<ContextComm>(dice.below(3));
    if (run.vpp > 1 && dice.heads()) {
        run.micro_batch_group = p.pp + dice.below(3);
    }
    return run;
}

/// `count` that are possible.
inline std::vector<TrainingRun> random_runs(std::size_t count, std::uint32_t seed = 1) {
    Dice dice(seed);
    std::vector<TrainingRun> runs;
    while (runs.size() < count) {
        try {
            runs.push_back(resolve_run(random_run(dice)));
        } catch (const InputError&) {
            // Another one.
        }
    }
    return runs;
}

/// The same with models that have a name, so that a folder of logs tells all about them.
inline std::vector<TrainingRun> named_runs(std::size_t count, std::uint32_t seed = 1) {
    Dice dice(seed);
    std::vector<TrainingRun> runs;
    while (runs.size() < count) {
        TrainingRun run = random_run(dice);
        const TrainingRun named = npunet_run(run.model.moe.experts > 0 ? "mixtral-8x7b" : "small");
        run.model_size = named.model_size;
        run.model = named.model;
        run.dtype = named.dtype;
        run.vocab_divisible_by = named.vocab_divisible_by;
        try {
            runs.push_back(resolve_run(run));
        } catch (const InputError&) {
            // Another one.
        }
    }
    return runs;
}

}  // namespace npunet::generators::megatron

// What a log folder of Megatron-LM is made from: model, plan, batch, and switches.
//
//     TrainingRun run = genstack_run("175b");      // hidden, layers, heads, seq of the table
//     run.parallelism.tp = 4;
//     run.global_batch_size = 1024;
//     run = resolve_run(run);                      // checks; b and m
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/program/call.h"
#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"

namespace npunet::generators::megatron {

/// Who writes the logs.
enum class Dialect : std::uint8_t {
    Npunet,   ///< what current Megatron-LM does
    Genstack  ///< the communication tracer of that name, on Megatron-LM of 2025, with what it
              ///< misses
};

struct TrainingRun {
    Dialect dialect = Dialect::Npunet;
    std::string model_size;  ///< the name under which the model was asked for
    ModelSpec model;
    Parallelism parallelism;
    std::int64_t micro_batches = 4;
    std::int64_t global_batch_size = 1024;  ///< sequences of a step
    std::int64_t seed = 1234;
    std::string timestamp = "00000000_000000";  ///< YYYYmmdd_HHMMSS, in names and config.json
    /// Of weights and activations: Float32, BFloat16 or Float16. Gradients are summed in Float32.
    DataType dtype = DataType::Float32;
    /// The vocabulary is padded to a multiple of this x tp.
    std::int64_t vocab_divisible_by = 0;
    /// Genstack: an older revision wrote context_parallel_size into config.json.
    bool writes_context_size = false;
    bool attention_mask = false;  ///< made by the data loader and broadcast

    // Of the npunet dialect only.
    bool sequence_parallel = false;
    bool distributed_optimizer = false;
    bool overlap_grad_reduce = false;
    bool overlap_param_gather = false;
    bool overlap_p2p = true;  ///< of the interleaved schedule
    bool fused_cross_entropy = false;
    std::int64_t vpp = 1;                ///< chunks of layers a stage; above 1: interleaved 1F1B
    std::int64_t micro_batch_group = 0;  ///< of the interleaved schedule; 0: pp
    ContextComm context_comm = ContextComm::PointToPoint;

    // What resolve_run finds.
    std::int64_t micro_batch = 0;  ///< sequences
    std::int64_t steps = 0;  ///< micro-batches of a replica: global batch / (micro-batch x dp)

    [[nodiscard]] std::int64_t world() const { return parallelism.world(); }
    /// Rows of the vocabulary on a rank.
    [[nodiscard]] std::int64_t local_vocab() const;
};

/// small, medium, large, xl, 2b, 6b, 13b, 30b, 175b.
[[nodiscard]] const std::vector<std::string>& genstack_models();

/// What models of the genstack dialect differ in.
struct GenstackSizes {
    std::int64_t hidden = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;  ///< divides hidden
    std::int64_t seq = 0;
};

/// A run with the model of the table: learned positions, tied embeddings, biases, GeLU of 4 h,
/// fp32 throughout, vocab_divisible_by 50257 over a vocabulary of one. Throws InputError with the
/// names for an unknown one.
[[nodiscard]] TrainingRun genstack_run(const std::string& model_size);
/// The same with a model of other sizes.
[[nodiscard]] TrainingRun genstack_run(const std::string& model_size, const GenstackSizes& sizes);

/// A run of the npunet dialect with a model of that table (real GPT vocabulary of 50257 padded to
/// a multiple of 128 x tp, bf16), or one of configs/models or of a model file.
[[nodiscard]] TrainingRun npunet_run(const std::string& model_size);

/// Micro-batch = global batch // (micro_batches x dp), then steps = global batch / (that x dp).
/// Throws InputError for what Megatron-LM or the dialect cannot do: heads or layers that do not
/// divide, a batch that does not, options of the other dialect.
[[nodiscard]] TrainingRun resolve_run(TrainingRun run);

/// The part of resolve_run() that is of the npunet dialect alone: throws InputError for options
/// that current Megatron-LM does not take together, or that this does not model.
[[nodiscard]] TrainingRun resolve_npunet(TrainingRun run);

}  // namespace npunet::generators::megatron

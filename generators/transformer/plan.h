// How a training step is spread over NPUs.
//
//     Plan plan;
//     plan.dp = 2;
//     plan.tp = 4;
//     plan.batch = 64;
//     plan = resolve_plan(model, plan);   // fills in what is left open, refuses the impossible
#pragma once

#include <cstdint>

#include "generators/transformer/model_spec.h"

namespace npunet::generators {

/// In which order a pipeline stage works on its micro-batches.
enum class Schedule {
    GPipe,                 ///< all forward passes, then all backward passes (Huang et al. 2019)
    OneForwardOneBackward  ///< 1F1B: at most pp - stage in flight (Narayanan et al. 2021)
};

struct Plan {
    std::int64_t dp = 1;           ///< replicas of the model
    std::int64_t tp = 1;           ///< parts of every matrix
    std::int64_t cp = 1;           ///< parts of every sequence
    std::int64_t pp = 1;           ///< pipeline stages
    std::int64_t batch = 0;        ///< sequences of a step over all replicas; 0: dp micro_batch pp
    std::int64_t micro_batch = 1;  ///< sequences of a micro-batch
    std::int64_t sequence = 0;     ///< tokens of a sequence; 0: the model's seq
    bool sequence_parallel = false;  ///< Megatron-LM's: norms and residuals split over tp
    bool overlap_grad_reduce = false;
    Schedule schedule = Schedule::OneForwardOneBackward;

    [[nodiscard]] std::int64_t world() const { return dp * tp * cp * pp; }
    /// Micro-batches that a replica works through in a step.
    [[nodiscard]] std::int64_t micro_batches() const { return batch / (dp * micro_batch); }
    /// Tokens of a step over all replicas.
    [[nodiscard]] std::int64_t tokens() const { return batch * sequence; }
};

/// The plan with its open values filled in. Throws InputError that names the numbers that clash
/// when the model cannot be divided so, or when counts would pass 64 bits.
[[nodiscard]] Plan resolve_plan(const ModelSpec& model, Plan plan);

/// The vocabulary that tp ranks share: the model's, or where it does not divide by tp and the model
/// allows it, the next multiple of vocab_divisible_by x tp.
[[nodiscard]] std::int64_t padded_vocab(const ModelSpec& model, std::int64_t tp);

}  // namespace npunet::generators

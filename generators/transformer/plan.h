// How a training step is spread over NPUs.
//
//     Plan plan;
//     plan.dp = 2;
//     plan.tp = 4;
//     plan.batch = 64;
//     plan = resolve_plan(model, plan);   // fills in what is left open, refuses the impossible
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "generators/pipeline/schedule.h"
#include "generators/transformer/model_spec.h"

namespace npunet::generators {

constexpr std::int64_t most_ranks = std::int64_t{1} << 20;
constexpr std::int64_t most_sequences = std::int64_t{1} << 32;  ///< of a step
constexpr std::int64_t most_sequences_of_micro_batch = std::int64_t{1} << 24;
constexpr std::int64_t longest_sequence = std::int64_t{1} << 28;  ///< tokens
/// Copies that an expert takes at most, over the mean.
constexpr double largest_capacity_factor = 0x1p20;

/// What a layer's backward pass computes again instead of keeping it.
enum class Recompute {
    None,
    Selective,  ///< the attention core (Korthikanti et al. 2022)
    Full        ///< the whole layer from its input
};

/// How the parts of a sequence exchange keys and values.
enum class ContextComm {
    PointToPoint,  ///< ring of key/value blocks, zigzag chunks
    AllGather,     ///< keys and values gathered before attention
    AllToAll       ///< sequence to heads and back (Ulysses)
};

/// Which scores of causal attention are computed.
enum class CausalFlops {
    Auto,  ///< Half for a fused core, else Full
    Full,  ///< all of them, as dense kernels do
    Half   ///< the lower triangle; fused kernels skip the blocks above it
};

/// How the attention core is computed.
enum class AttentionKernel {
    Auto,    ///< Unfused for models with dropout, else Fused
    Fused,   ///< FlashAttention (Dao et al. 2022): scores never reach memory
    Unfused  ///< scores are written, normalised, read, and kept for the backward pass
};

/// Products counted in a fused core's backward pass; an unfused one always has four.
enum class AttentionBackward {
    Kernel,  ///< the five that it computes: recomputed QK^T, dP, dV, dQ, dK (Dao et al. 2022)
    Model    ///< the four of the gradients
};

/// Which operations of a training step are nodes.
enum class StepOps {
    Core,  ///< products, attention, element-wise kernels, embedding, loss, optimizer
    /// Also the addition to main gradients, norm, clipping and zeroing of gradients, dropout masks
    /// of hidden layers, casts to FP8.
    Full
};

/// The data type in which the linear layers of decoder layers multiply.
enum class Precision {
    Bf16,  ///< that of the model's activations
    Fp8    ///< with results, attention, router and head as before
};

enum class Mode {
    Train,
    Prefill,  ///< one forward pass over the prompt, filling the key/value cache
    Decode    ///< one forward pass of one token a sequence against a cache of `context` tokens
};

/// The dimensions of the grid of ranks.
enum class GridAxis : std::uint8_t { Tensor, Context, Expert, Data, Pipeline };
constexpr std::size_t grid_axes = 5;
/// From the fastest to the slowest.
using RankOrder = std::array<GridAxis, grid_axes>;

struct Plan {
    std::int64_t dp = 1;     ///< replicas of the model
    std::int64_t tp = 1;     ///< parts of every matrix
    std::int64_t cp = 1;     ///< parts of every sequence
    std::int64_t pp = 1;     ///< pipeline stages
    std::int64_t batch = 0;  ///< sequences of a step over all replicas; 0: dp micro_batch pp
    /// Sequences of a micro-batch; 0: 1, or without a pipeline all of a replica.
    std::int64_t micro_batch = 1;
    std::int64_t sequence = 0;       ///< tokens of a sequence; 0: the model's seq
    bool sequence_parallel = false;  ///< Megatron-LM's: norms and residuals split over tp
    bool overlap_grad_reduce = false;
    bool overlap_param_gather = false;
    Schedule schedule = Schedule::OneForwardOneBackward;
    std::int64_t vpp = 1;  ///< chunks of layers a stage, for the interleaved schedule
    /// Layers of every virtual stage (layer_split.h); empty: equal shares.
    std::vector<std::int64_t> pp_layers{};
    std::int64_t first_stage_layers = 0;  ///< of the first virtual stage; resolved: 0
    std::int64_t last_stage_layers = 0;   ///< of the last one; 0: as the others
    Recompute recompute = Recompute::None;
    CausalFlops causal_flops = CausalFlops::Auto;  ///< resolved: not Auto
    AttentionBackward attention_backward = AttentionBackward::Kernel;
    AttentionKernel attention_kernel = AttentionKernel::Auto;  ///< resolved: not Auto
    StepOps step_ops = StepOps::Full;                          ///< resolved: Core of inference
    Precision precision = Precision::Bf16;
    /// Share of tensor-parallel communication that runs beside the product next to it, 0 to 1.
    double tp_comm_overlap = 0;
    /// 0: replicated; 1: optimizer states split over the replicas (the distributed optimizer);
    /// 2: gradients too; 3: weights too (Rajbhandari et al. 2020; FSDP).
    std::int64_t zero = 0;
    ContextComm context_comm = ContextComm::PointToPoint;
    std::int64_t ep = 1;   ///< parts of the set of experts; adds no ranks
    std::int64_t etp = 0;  ///< tensor parallel inside an expert; 0: tp
    /// ep stands for its place in the grid of experts.
    RankOrder rank_order{GridAxis::Tensor, GridAxis::Context, GridAxis::Expert, GridAxis::Data,
                         GridAxis::Pipeline};
    std::uint64_t seed = 1;  ///< of whatever is drawn: which experts are popular
    Mode mode = Mode::Train;
    /// Decode: tokens in the key/value cache that a query meets, its own among them; 0: the model's
    /// seq. Prefill: another name of `sequence`.
    std::int64_t context = 0;

    [[nodiscard]] bool trains() const { return mode == Mode::Train; }
    [[nodiscard]] std::int64_t world() const { return dp * tp * cp * pp; }
    /// Copies of every expert: its gradients are summed over them. Needs a resolved plan.
    [[nodiscard]] std::int64_t expert_replicas() const { return world() / (etp * ep * pp); }
    /// Micro-batches that a replica works through in a step.
    [[nodiscard]] std::int64_t micro_batches() const { return batch / (dp * micro_batch); }
    [[nodiscard]] PipelineShape pipeline() const { return {schedule, pp, vpp, micro_batches()}; }
    /// Tokens of a step over all replicas.
    [[nodiscard]] std::int64_t tokens() const { return batch * sequence; }
};

/// The plan with its open values filled in. Throws InputError that names the numbers that clash
/// when the model cannot be divided so, or when counts would pass 64 bits.
[[nodiscard]] Plan resolve_plan(const ModelSpec& model, Plan plan);

/// The part of resolve_plan() that looks at what the parallel dimensions ask of each other and of
/// the model beyond plain divisions: parts of a sequence, experts, the two grids of ranks, ZeRO.
/// Throws InputError that names the numbers that clash. Needs degrees from 1 on, a sequence, and
/// etp filled in.
void check_parallel_dimensions(const ModelSpec& model, const Plan& plan);

/// A sentence, without a period, about each value that is not the default and has no effect on a
/// step of this plan, which is resolved: a schedule without a pipeline, ZeRO without replicas.
[[nodiscard]] std::vector<std::string> notes_on_parameters_without_effect(const ModelSpec& model,
                                                                          const Plan& plan);

/// The layers of a pipeline stage by their numbers in the whole model, ascending: chunk c of stage
/// p is virtual stage c pp + p. Needs a resolved plan.
[[nodiscard]] std::vector<std::int64_t> layers_of_stage(const ModelSpec& model, const Plan& plan,
                                                        std::int64_t stage);

/// The vocabulary that tp ranks share: the model's, or where it does not divide by tp and the model
/// allows it, the next multiple of vocab_divisible_by x tp.
[[nodiscard]] std::int64_t padded_vocab(const ModelSpec& model, std::int64_t tp);

}  // namespace npunet::generators

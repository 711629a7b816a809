// The buckets in which replicas sum the gradients of a chunk of layers, and gather its weights.
//
// Megatron-LM's parameter and gradient buffers (distributed/param_and_grad_buffer): parameters are
// walked in the reverse of the order in which the model defines them. With the distributed
// optimizer every parameter begins at a multiple of 64 elements, a bucket ends at a multiple of
// lcm(n, 128) for n replicas, and a table of tokens that two stages share has a bucket of its own.
// Without it nothing is padded. A bucket is closed once it holds max(40 000 000, 1 000 000 dp)
// elements, with overlap of the gradient sums and on the first chunk of the first stage only; all
// other chunks have one. Experts have buffers of their own, over their own replicas.
//
//     const std::vector<GradientBucket> buckets = gradient_buckets(run, stage, chunk);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/megatron/groups/process_groups.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

/// Units of a chunk in the order of the forward pass: the embedding, its layers, the head.
struct Parameter {
    std::int64_t elements = 0;  ///< on this rank
    std::int32_t unit = 0;      ///< from 0
    bool expert = false;
    /// Its gradient is a part of the sum over the ranks that share a sequence within tp.
    bool sequence_parallel = false;
    bool shared_table = false;  ///< of tokens, with another stage
};

struct GradientBucket {
    GroupRole replicas = GroupRole::DataContext;  ///< or ExpertData
    std::int64_t elements = 0;                    ///< with padding
    std::int32_t first_unit = 0;                  ///< the earliest in the forward pass
};

/// Virtual stage chunk x pp + stage holds the embedding where it is the first, the head where it is
/// the last.
[[nodiscard]] bool has_embedding(const TrainingRun& run, std::int64_t stage, std::int64_t chunk);
[[nodiscard]] bool has_head(const TrainingRun& run, std::int64_t stage, std::int64_t chunk);
/// Layers of a chunk, by their numbers in the model.
[[nodiscard]] std::vector<std::int64_t> layers_of_chunk(const TrainingRun& run, std::int64_t stage,
                                                        std::int64_t chunk);

/// In the order in which the model defines them.
[[nodiscard]] std::vector<Parameter> chunk_parameters(const TrainingRun& run, std::int64_t stage,
                                                      std::int64_t chunk);

/// Dense ones first, each in the order in which their gradients become complete.
[[nodiscard]] std::vector<GradientBucket> gradient_buckets(const TrainingRun& run,
                                                           std::int64_t stage, std::int64_t chunk);

}  // namespace npunet::generators::megatron

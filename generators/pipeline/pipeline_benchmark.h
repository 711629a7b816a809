// A pipeline whose passes take recorded times: to study a schedule without a model.
//
//     PipelineBenchmark benchmark;
//     benchmark.shape = {Schedule::ZeroBubble, 4, 1, 8};
//     benchmark.forward = benchmark.backward = benchmark.weight = Time::ns(1000);
//     GeneratedWorkload workload = generate(benchmark);
//
// Rank p is stage p. Names: mb3_forward, mb3_backward (the gradient of the input), mb3_weight, with
// several chunks mb3_chunk1_forward, and the messages of stage_pipeline.h.
#pragma once

#include <cstdint>

#include "base/quantities.h"
#include "generators/pipeline/schedule.h"
#include "generators/workload.h"

namespace npunet::generators {

/// Times and sizes of one micro-batch and chunk.
struct PipelineBenchmark {
    PipelineShape shape;
    Time forward;
    Time backward;  ///< gradients of inputs
    Time weight;    ///< gradients of weights
    /// Alive from the start of the forward pass to the end of the gradients of inputs; in a
    /// schedule that does not split the backward pass, to the end of that.
    Bytes activations;
    /// Alive until the gradients of weights are there, in every schedule.
    Bytes weight_activations;
    Bytes message;  ///< between two stages, in each direction
};

/// Throws InputError for counts out of range, a shape that check_pipeline() refuses, and times that
/// are no whole numbers of ns from 0 or together no step of at most 100 days.
[[nodiscard]] GeneratedWorkload generate(const PipelineBenchmark& benchmark);

}  // namespace npunet::generators

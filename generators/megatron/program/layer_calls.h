// What embedding, layers and head of the npunet dialect call, forward and backward, for one
// micro-batch.
//
// Current Megatron-LM (core 0.20) with Transformer Engine's attention. Sizes: S = s / cp tokens of
// a sequence on a rank, Sq = S / tp with sequence parallelism, b sequences, h channels.
//
// | tp > 1                 | forward                          | backward                          |
// | without sequence par.  | all-reduce [S,b,h] after the     | all-reduce [S,b,h] of the input   |
// |                        | projection and after the MLP     | gradient of QKV and of the MLP    |
// | with it                | 2 x (all-gather to, reduce-      | 2 x (all-gather of the output     |
// |                        | scatter from [S,b,h])            | gradient, of the saved input,     |
// |                        |                                  | reduce-scatter)                   |
//
// Sums of input gradients run beside the weight gradients, all-gathers of saved inputs beside the
// input gradients. docs/megatron.md has the calls of context and expert parallelism.
#pragma once

#include <cstdint>

#include "generators/megatron/program/program_builder.h"
#include "generators/megatron/program/segment_costs.h"
#include "generators/megatron/program/training_run.h"

namespace npunet::generators::megatron {

class LayerCalls {
public:
    /// Both have to outlive this.
    LayerCalls(const TrainingRun& run, ProgramBuilder& builder);

    /// What stages tell each other: the activations of a micro-batch, or their gradients.
    [[nodiscard]] const Shape& passed_on() const { return part_; }

    void embedding_forward();
    void embedding_backward();
    void layer_forward(std::int64_t layer);
    void layer_backward(std::int64_t layer);
    /// The final norm, logits and loss.
    void head_forward();
    void head_backward();

private:
    void gather_input(const char* what);
    void sum_output(const char* what);
    void gather_output_gradient(const char* what);
    [[nodiscard]] Requests gather_saved_input(const char* what);
    [[nodiscard]] Requests sum_input_gradient(const char* what);

    void attention_forward();
    void attention_backward();
    void attention_core(const char* segment, const SegmentCost& cost, bool forward);
    void ring(const char* segment, const SegmentCost& cost, bool forward);
    void mlp_forward();
    void mlp_backward();
    void experts_forward();
    void experts_backward();
    void shared_experts_backward();
    [[nodiscard]] SegmentCost experts_cost(std::int64_t multiplications) const;

    const TrainingRun& run_;
    ProgramBuilder& builder_;
    SegmentCosts costs_;
    Shape full_;           ///< [S,b,h]
    Shape part_;           ///< [Sq,b,h], or [S,b,h]
    Shape key_value_;      ///< keys and values of a rank's part of the sequence: [2,S,b,g/tp,d]
    std::int64_t tokens_;  ///< of part_
};

}  // namespace npunet::generators::megatron

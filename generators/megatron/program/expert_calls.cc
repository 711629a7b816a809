// The mixture of experts of LayerCalls: Megatron-LM's all-to-all dispatcher, uniform routing.
//
// A rank has T = Sq b tokens, each goes to k of E experts: T k copies, of which every member of the
// expert-parallel group gets T k / ep. Inside an expert that is divided over etp ranks all of them
// need the copies of each.
#include "generators/megatron/program/layer_calls.h"

namespace npunet::generators::megatron {

/// `multiplications`: 1 forward or for one of the two gradients. Weights of the experts on the rank
/// and of its part of the shared ones, read; copies of tokens read and written.
SegmentCost LayerCalls::experts_cost(std::int64_t multiplications) const {
    const ModelSpec& model = run_.model;
    const MixtureOfExperts& moe = model.moe;
    const std::int64_t etp = run_.parallelism.expert_tensor();
    const std::int64_t weights = (model.gated ? 3 : 2) * model.hidden * (moe.ffn / etp);
    const std::int64_t shared =
        (model.gated ? 3 : 2) * model.hidden * (model.shared_width() / run_.parallelism.tp);
    const std::int64_t copies = tokens_ * moe.top_k * etp;
    const std::int64_t all_tokens = *full_.begin() * run_.micro_batch;
    const std::int64_t router = model.hidden * moe.experts;
    const std::int64_t elements =
        moe.experts / run_.parallelism.ep * weights + shared + router + 2 * copies * model.hidden;
    SegmentCost cost;
    cost.flops = multiplications * 2 *
                 (copies * weights + (shared > 0 ? all_tokens * shared : 0) + tokens_ * router);
    cost.bytes = multiplications * elements * size_of(run_.dtype);
    return cost;
}

void LayerCalls::experts_forward() {
    const MixtureOfExperts& moe = run_.model.moe;
    const std::int64_t copies = tokens_ * moe.top_k;
    const Shape tokens{copies, run_.model.hidden};
    if (!moe.router_bias) {
        builder_.all_reduce(GroupRole::TensorContext, {moe.experts}, DataType::Int64,
                            "tokens of each expert, for the auxiliary loss");
    }
    builder_.all_gather(GroupRole::TensorExpert, {moe.experts}, DataType::Int64,
                        "tokens of each expert");
    builder_.all_to_all(GroupRole::Expert, tokens, run_.dtype, "tokens to experts");
    builder_.all_to_all(GroupRole::Expert, {copies}, DataType::Float32, "probabilities to experts");
    builder_.all_gather(GroupRole::ExpertTensor, tokens, run_.dtype, "tokens of an expert");
    builder_.all_gather(GroupRole::ExpertTensor, {copies}, DataType::Float32,
                        "probabilities of an expert");
    builder_.compute("experts_forward", experts_cost(1));
    builder_.reduce_scatter(GroupRole::ExpertTensor, tokens, run_.dtype, "results of an expert");
    builder_.all_to_all(GroupRole::Expert, tokens, run_.dtype, "tokens from experts");
    if (moe.shared_experts > 0) {
        gather_input("shared experts' input");
        sum_output("shared experts' output");
    }
}

void LayerCalls::experts_backward() {
    const MixtureOfExperts& moe = run_.model.moe;
    const std::int64_t copies = tokens_ * moe.top_k;
    const Shape tokens{copies, run_.model.hidden};
    shared_experts_backward();
    builder_.all_to_all(GroupRole::Expert, tokens, run_.dtype, "gradients of tokens from experts");
    builder_.all_gather(GroupRole::ExpertTensor, tokens, run_.dtype,
                        "gradients of results of an expert");
    builder_.compute("experts_dgrad", experts_cost(1));
    builder_.compute("experts_wgrad", experts_cost(1));
    builder_.reduce_scatter(GroupRole::ExpertTensor, {copies}, DataType::Float32,
                            "gradients of probabilities of an expert");
    builder_.reduce_scatter(GroupRole::ExpertTensor, tokens, run_.dtype,
                            "gradients of tokens of an expert");
    builder_.all_to_all(GroupRole::Expert, {copies}, DataType::Float32,
                        "gradients of probabilities to experts");
    builder_.all_to_all(GroupRole::Expert, tokens, run_.dtype, "gradients of tokens to experts");
}

/// Their computation is within the experts' segments.
void LayerCalls::shared_experts_backward() {
    if (run_.model.moe.shared_experts == 0) {
        return;
    }
    gather_output_gradient("shared experts' output gradient");
    Requests input = gather_saved_input("shared experts' saved input");
    builder_.wait(input);
    Requests sum = sum_input_gradient("shared experts' input gradient");
    builder_.wait(sum);
}

}  // namespace npunet::generators::megatron

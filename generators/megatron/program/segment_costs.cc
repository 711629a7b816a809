#include "generators/megatron/program/segment_costs.h"

#include <initializer_list>

#include "generators/transformer/operation_costs.h"

namespace npunet::generators::megatron {

namespace {

LocalSizes sizes_of(const TrainingRun& run) {
    Plan plan;
    plan.dp = run.parallelism.dp;
    plan.tp = run.parallelism.tp;
    plan.cp = run.parallelism.cp;
    plan.pp = run.parallelism.pp;
    plan.micro_batch = run.micro_batch;
    plan.sequence = run.model.seq;
    plan.sequence_parallel = run.sequence_parallel;
    plan.step_ops = StepOps::Core;  // gradients are added up within their product
    const bool fused = run.dialect != Dialect::Genstack;
    plan.attention_kernel = fused ? AttentionKernel::Fused : AttentionKernel::Unfused;
    plan.causal_flops = fused ? CausalFlops::Half : CausalFlops::Full;
    LocalSizes local = local_sizes(run.model, plan);
    local.vocab = run.local_vocab();
    return local;
}

/// FLOPs of the multiplications, bytes of everything.
SegmentCost sum(std::initializer_list<Work> multiplications,
                std::initializer_list<Work> element_wise) {
    SegmentCost cost;
    for (const Work& work : multiplications) {
        cost.flops += work.flops;
        cost.bytes += work.bytes;
    }
    for (const Work& work : element_wise) {
        cost.bytes += work.bytes;
    }
    return cost;
}

Linear qkv(const LocalSizes& local) {
    return {local.hidden, local.qkv_width};
}

Linear projection(const LocalSizes& local) {
    return {local.value_width, local.hidden};
}

Linear up(const LocalSizes& local) {
    return {local.hidden, local.up_columns()};
}

Linear down(const LocalSizes& local) {
    return {local.ffn, local.hidden};
}

Linear head(const LocalSizes& local) {
    return {local.hidden, local.vocab};
}

Work rotation(const LocalSizes& local) {
    return local.positions == Positions::Rotary ? rotary(local) : Work{};
}

}  // namespace

SegmentCosts::SegmentCosts(const TrainingRun& run) : local_(sizes_of(run)) {}

SegmentCost SegmentCosts::embedding_forward() const {
    return sum({}, {npunet::generators::embedding_forward(local_),
                    local_.positions == Positions::Learned ? positions_forward(local_) : Work{}});
}

SegmentCost SegmentCosts::attention_forward() const {
    return sum({gemm_forward(local_, qkv(local_)), npunet::generators::scores_forward(local_),
                context_forward(local_), gemm_forward(local_, projection(local_))},
               {norm_forward(local_), rotation(local_), softmax_forward(local_)});
}

SegmentCost SegmentCosts::mlp_forward() const {
    return sum({gemm_forward(local_, up(local_)), gemm_forward(local_, down(local_))},
               {residual(local_), norm_forward(local_), activation_forward(local_)});
}

SegmentCost SegmentCosts::head_forward() const {
    return sum({gemm_forward(local_, head(local_))}, {residual(local_), norm_forward(local_)});
}

SegmentCost SegmentCosts::loss_forward() const {
    return sum({}, {logits_maximum(local_), logits_exponentials(local_),
                    npunet::generators::loss_forward(local_)});
}

SegmentCost SegmentCosts::loss_backward() const {
    return sum({}, {npunet::generators::loss_backward(local_)});
}

SegmentCost SegmentCosts::head_dgrad() const {
    return sum({gemm_dgrad(local_, head(local_))}, {norm_backward(local_)});
}

SegmentCost SegmentCosts::head_wgrad() const {
    return sum({gemm_wgrad(local_, head(local_))}, {});
}

SegmentCost SegmentCosts::mlp_dgrad() const {
    return sum({gemm_dgrad(local_, down(local_)), gemm_wgrad(local_, down(local_)),
                gemm_dgrad(local_, up(local_))},
               {activation_backward(local_), norm_backward(local_), residual(local_)});
}

SegmentCost SegmentCosts::mlp_wgrad() const {
    return sum({gemm_wgrad(local_, up(local_))}, {});
}

SegmentCost SegmentCosts::attention_dgrad() const {
    return sum(
        {gemm_dgrad(local_, projection(local_)), gemm_wgrad(local_, projection(local_)),
         context_backward(local_), scores_backward(local_), gemm_dgrad(local_, qkv(local_))},
        {softmax_backward(local_), rotation(local_), norm_backward(local_), residual(local_)});
}

SegmentCost SegmentCosts::attention_wgrad() const {
    return sum({gemm_wgrad(local_, qkv(local_))}, {});
}

SegmentCost SegmentCosts::embedding_backward() const {
    return sum({}, {npunet::generators::embedding_backward(local_)});
}

SegmentCost SegmentCosts::optimizer(std::int64_t parameters) const {
    return sum({optimizer_step(parameters, local_.dtypes)}, {});
}

}  // namespace npunet::generators::megatron

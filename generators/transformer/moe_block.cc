#include "generators/transformer/moe_block.h"

#include <string>

#include "generators/transformer/decoder_layer.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/parallel_linear.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

using chakra::CollectiveType;

LocalSizes with_tokens(LocalSizes local, std::int64_t tokens) {
    local.tokens = tokens;
    return local;
}

/// The router multiplies in the activations' type.
LocalSizes of_router(LocalSizes local) {
    local.fp8 = false;
    return local;
}

LocalSizes with_ffn(LocalSizes local, std::int64_t ffn) {
    local.ffn = ffn;
    return local;
}

/// Softmax over E logits and the choice of the largest ones.
Work top_k(const LocalSizes& routed, std::int64_t experts) {
    constexpr std::int64_t flops = 6;
    Work work{routed.tokens * experts * flops, 2 * routed.tokens * experts * fp32};
    work.kernel = memory_kernel(Kernel::Softmax, fp32, routed.tokens * experts);
    return work;
}

/// From each tp rank's share of the tokens to all of them.
Collective gather_of_routed(const LocalSizes& routed) {
    return {tensor_group, CollectiveType::AllGather,
            routed.tokens * routed.hidden * routed.dtypes.activations,
            element_type(routed.dtypes.activations)};
}

}  // namespace

/// One direction of one layer and micro-batch: puts in the amounts that the routing tells.
class MoeBlock::Pass {
public:
    Pass(const MoeBlock& block, RoleBuilder& builder, std::int64_t layer, std::int64_t micro_batch)
        : block_(block), builder_(builder), layer_(layer), micro_batch_(micro_batch) {}

    void compute(const char* name, MoeWork what) const {
        const Amounts found = amounts(what);
        builder_.compute(
            name, {found.nominal.flops, found.nominal.bytes, found.varying, found.nominal.kernel});
    }

    /// To FP8, where casts are nodes.
    void cast(const char* name, MoeWork what) const {
        if (block_.local_.fp8 && block_.local_.full_ops) {
            compute(name, what);
        }
    }

    void all_to_all(const char* name, MoeWork what) {
        collective(name, expert_group, CollectiveType::AllToAll, what);
    }

    /// Over etp: an all-gather or reduce-scatter, or what stands for it between unequal parts.
    void share(const char* name, CollectiveType type, MoeWork what) {
        collective(name, expert_tensor_group,
                   block_.amounts_.even() ? type : CollectiveType::AllToAll, what);
    }

private:
    struct Amounts {
        RankAmounts nominal;  ///< of the example rank
        std::int32_t varying = -1;
    };

    [[nodiscard]] Amounts amounts(MoeWork what) const {
        const MoeUse use{what, layer_, micro_batch_};
        return {block_.amounts_.of(block_.example_, use),
                block_.amounts_.even() ? -1 : block_.amounts_.number(use)};
    }

    void collective(const char* name, std::int32_t slot, CollectiveType type, MoeWork what) {
        if (builder_.group_size(slot) > 1) {
            const Amounts found = amounts(what);
            builder_.collective(name,
                                {slot, type, found.nominal.bytes,
                                 element_type(block_.amounts_.element_bytes(what)), found.varying});
        }
    }

    const MoeBlock& block_;
    RoleBuilder& builder_;
    std::int64_t layer_;
    std::int64_t micro_batch_;
};

MoeBlock::MoeBlock(const ModelSpec& model, const Plan& plan, const MoeAmounts& amounts,
                   Rank example)
    : local_(local_sizes(model, plan)),
      routed_(of_router(with_tokens(local_, local_.tokens / plan.tp))),
      shared_(with_ffn(local_, model.moe.shared_experts * model.moe.ffn / plan.tp)),
      experts_(model.moe.experts),
      up_{model.hidden, (model.gated ? 2 : 1) * model.moe.ffn / plan.etp},
      down_{model.moe.ffn / plan.etp, model.hidden},
      ep_(plan.ep),
      etp_(plan.etp),
      has_shared_(model.moe.shared_experts > 0),
      amounts_(amounts),
      example_(example) {}

/// Weights of all experts of the rank, with tokens or without.
void MoeBlock::cast_experts(RoleBuilder& builder, const char* name, const Linear& linear) const {
    if (local_.fp8 && local_.full_ops) {
        builder.compute(
            name, cast_to_fp8(experts_ / ep_ * linear.in * linear.out, local_.dtypes.weights));
    }
}

void MoeBlock::add_gradients(RoleBuilder& builder, const char* name, const Linear& linear) const {
    if (local_.full_ops) {
        builder.compute(
            name, gradient_accumulation(experts_ / ep_ * linear.in * linear.out, local_.dtypes));
    }
}

void MoeBlock::forward(RoleBuilder& builder, std::int64_t layer, std::int64_t micro_batch,
                       bool cast_weights) const {
    constexpr std::int64_t int64 = 8;
    Pass pass(*this, builder, layer, micro_batch);
    builder.compute("mlp_norm_forward", norm_forward(local_));
    builder.compute("moe_router_forward", gemm_forward(routed_, {local_.hidden, experts_}));
    builder.compute("moe_top_k_forward", top_k(routed_, experts_));
    const std::int32_t sharing =
        ep_ == 1 ? expert_tensor_group : (etp_ == 1 ? expert_group : expert_block_group);
    builder.collective("moe_counts_all_gather_forward",
                       {sharing, CollectiveType::AllGather, experts_ * int64});
    pass.compute("moe_permute_forward", MoeWork::Copy);
    pass.all_to_all("moe_dispatch_all_to_all_forward", MoeWork::Dispatch);
    pass.all_to_all("moe_probabilities_all_to_all_forward", MoeWork::DispatchProbabilities);
    pass.share("moe_tokens_all_gather_forward", CollectiveType::AllGather, MoeWork::ShareTokens);
    pass.share("moe_probabilities_all_gather_forward", CollectiveType::AllGather,
               MoeWork::ShareProbabilities);
    if (cast_weights) {
        cast_experts(builder, "moe_up_weight_cast_forward", up_);
        cast_experts(builder, "moe_down_weight_cast_forward", down_);
    }
    pass.cast("moe_up_input_cast_forward", MoeWork::UpInputCast);
    pass.compute("moe_up_forward", MoeWork::UpForward);
    pass.compute("moe_activation_forward", MoeWork::ActivationForward);
    pass.cast("moe_down_input_cast_forward", MoeWork::DownInputCast);
    pass.compute("moe_down_forward", MoeWork::DownForward);
    pass.share("moe_tokens_reduce_scatter_forward", CollectiveType::ReduceScatter,
               MoeWork::ReturnTokens);
    pass.all_to_all("moe_combine_all_to_all_forward", MoeWork::Combine);
    pass.compute("moe_unpermute_forward", MoeWork::Copy);
    if (!local_.sequence_parallel) {
        builder.collective("moe_output_all_gather_forward", gather_of_routed(routed_));
    }
    if (has_shared_) {
        LocalSizes local = local_;
        local.cast_weights = cast_weights;
        ColumnParallelLinear("shared_up", local, shared_.up_columns()).forward(builder);
        builder.compute("shared_activation_forward", activation_forward(shared_));
        RowParallelLinear("shared_down", local, shared_.ffn).forward(builder);
        builder.compute("shared_sum_forward", residual(local_));
    }
    dropout(builder, "mlp_dropout_forward", local_);
    builder.compute("mlp_residual_forward", residual(local_));
}

void MoeBlock::backward(RoleBuilder& builder, std::int64_t layer, std::int64_t micro_batch) const {
    Pass pass(*this, builder, layer, micro_batch);
    dropout(builder, "mlp_dropout_backward", local_);
    if (has_shared_) {
        RowParallelLinear("shared_down", local_, shared_.ffn).backward(builder);
        builder.compute("shared_activation_backward", activation_backward(shared_));
        ColumnParallelLinear("shared_up", local_, shared_.up_columns()).backward(builder);
    }
    pass.compute("moe_unpermute_backward", MoeWork::Copy);
    pass.all_to_all("moe_combine_all_to_all_backward", MoeWork::Dispatch);
    pass.share("moe_tokens_all_gather_backward", CollectiveType::AllGather, MoeWork::ShareTokens);
    pass.cast("moe_down_gradient_cast_backward", MoeWork::DownGradientCast);
    pass.compute("moe_down_dgrad", MoeWork::DownInputGradient);
    builder.deferrable([this, &builder, pass] {
        pass.compute("moe_down_wgrad", MoeWork::DownWeightGradient);
        add_gradients(builder, "moe_down_gradient_accumulation", down_);
    });
    pass.compute("moe_activation_backward", MoeWork::ActivationBackward);
    pass.cast("moe_up_gradient_cast_backward", MoeWork::UpGradientCast);
    pass.compute("moe_up_dgrad", MoeWork::UpInputGradient);
    builder.deferrable([this, &builder, pass] {
        pass.compute("moe_up_wgrad", MoeWork::UpWeightGradient);
        add_gradients(builder, "moe_up_gradient_accumulation", up_);
    });
    pass.share("moe_tokens_reduce_scatter_backward", CollectiveType::ReduceScatter,
               MoeWork::ReturnTokens);
    pass.share("moe_probabilities_reduce_scatter_backward", CollectiveType::ReduceScatter,
               MoeWork::ReturnProbabilities);
    pass.all_to_all("moe_probabilities_all_to_all_backward", MoeWork::CombineProbabilities);
    pass.all_to_all("moe_dispatch_all_to_all_backward", MoeWork::Combine);
    pass.compute("moe_permute_backward", MoeWork::Copy);
    builder.compute("moe_top_k_backward", top_k(routed_, experts_));
    builder.compute("moe_router_dgrad", gemm_dgrad(routed_, {local_.hidden, experts_}));
    weight_gradient(builder, "moe_router", routed_, {local_.hidden, experts_});
    if (!local_.sequence_parallel) {
        builder.collective("moe_input_all_gather_backward", gather_of_routed(routed_));
    }
    if (has_shared_) {
        builder.compute("shared_sum_backward", residual(local_));
    }
    builder.compute("mlp_norm_backward", norm_backward(local_));
    builder.compute("mlp_residual_backward", residual(local_));
}

}  // namespace npunet::generators

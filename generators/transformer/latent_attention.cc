#include "generators/transformer/latent_attention.h"

#include "generators/transformer/operation_costs.h"
#include "generators/transformer/parallel_linear.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

/// From each rank's even part of the low-rank vectors' channels to all of them.
Collective gather_of_latents(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllGather,
            local.tokens * local.latent_width / local.tp * local.dtypes.activations};
}

Collective sum_of_latents(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllReduce,
            local.tokens * local.latent_width * local.dtypes.activations};
}

Linear query_expansion(const LocalSizes& local) {
    return {local.latent.q_lora_rank,
            local.heads * (local.latent.qk_nope_head_dim + local.latent.qk_rope_head_dim)};
}

Linear key_value_expansion(const LocalSizes& local) {
    return {local.latent.kv_lora_rank,
            local.heads * (local.latent.qk_nope_head_dim + local.latent.v_head_dim)};
}

}  // namespace

void latent_projections_forward(RoleBuilder& builder, const LocalSizes& local) {
    ColumnParallelLinear("attention_down", local, local.qkv_width).forward(builder);
    builder.collective("attention_latent_all_gather_forward", gather_of_latents(local));
    builder.compute("attention_latent_norm_forward", latent_norm_forward(local));
    if (local.latent.q_lora_rank > 0) {
        builder.compute("attention_q_up_forward", gemm_forward(local, query_expansion(local)));
    }
    if (local.absorbed) {
        builder.compute("attention_key_absorption_forward", key_absorption(local));
    } else {
        builder.compute("attention_kv_up_forward", gemm_forward(local, key_value_expansion(local)));
    }
}

void latent_projections_backward(RoleBuilder& builder, const LocalSizes& local) {
    const bool low_rank_queries = local.latent.q_lora_rank > 0;
    builder.compute("attention_kv_up_dgrad", gemm_dgrad(local, key_value_expansion(local)));
    if (low_rank_queries) {
        builder.compute("attention_q_up_dgrad", gemm_dgrad(local, query_expansion(local)));
    }
    const Pending sum =
        builder.start("attention_latent_all_reduce_backward", sum_of_latents(local));
    weight_gradient(builder, "attention_kv_up", gemm_wgrad(local, key_value_expansion(local)));
    if (low_rank_queries) {
        weight_gradient(builder, "attention_q_up", gemm_wgrad(local, query_expansion(local)));
    }
    builder.wait(sum);
    builder.compute("attention_latent_norm_backward", latent_norm_backward(local));
    ColumnParallelLinear("attention_down", local, local.qkv_width).backward(builder);
}

}  // namespace npunet::generators

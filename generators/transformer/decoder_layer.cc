#include "generators/transformer/decoder_layer.h"

#include "generators/transformer/attention_core.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/parallel_linear.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

/// From each rank's even part of the low-rank vectors' channels to all of them.
Collective gather_of_latents(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllGather,
            local.tokens * local.latent_width / local.tp * local.dtypes.activations,
            element_type(local.dtypes.activations)};
}

Collective sum_of_latents(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllReduce,
            local.tokens * local.latent_width * local.dtypes.activations,
            element_type(local.dtypes.activations)};
}

Linear query_expansion(const LocalSizes& local) {
    return {local.latent.q_lora_rank,
            local.heads * (local.latent.qk_nope_head_dim + local.latent.qk_rope_head_dim)};
}

Linear key_value_expansion(const LocalSizes& local) {
    return {local.latent.kv_lora_rank,
            local.heads * (local.latent.qk_nope_head_dim + local.latent.v_head_dim)};
}

/// Of latent attention: see decoder_layer.h.
void latent_projections_forward(RoleBuilder& builder, const LocalSizes& local) {
    ColumnParallelLinear("attention_down", local, local.qkv_width).forward(builder);
    builder.collective("attention_latent_all_gather_forward", gather_of_latents(local));
    builder.compute("attention_latent_norm_forward", latent_norm_forward(local));
    if (local.latent.q_lora_rank > 0) {
        linear_forward(builder, "attention_q_up", local, query_expansion(local));
    }
    if (local.absorbed) {
        builder.compute("attention_key_absorption_forward", key_absorption(local));
    } else {
        linear_forward(builder, "attention_kv_up", local, key_value_expansion(local));
    }
}

void latent_projections_backward(RoleBuilder& builder, const LocalSizes& local) {
    const bool low_rank_queries = local.latent.q_lora_rank > 0;
    linear_dgrad(builder, "attention_kv_up", local, key_value_expansion(local));
    if (low_rank_queries) {
        linear_dgrad(builder, "attention_q_up", local, query_expansion(local));
    }
    const Pending sum =
        builder.start("attention_latent_all_reduce_backward", sum_of_latents(local));
    weight_gradient(builder, "attention_kv_up", local, key_value_expansion(local));
    if (low_rank_queries) {
        weight_gradient(builder, "attention_q_up", local, query_expansion(local));
    }
    builder.wait(sum);
    builder.compute("attention_latent_norm_backward", latent_norm_backward(local));
    ColumnParallelLinear("attention_down", local, local.qkv_width).backward(builder);
}

/// From each rank's even part of the fused QKV columns to all columns; a rank then picks its heads.
Collective gather_of_heads(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllGather,
            local.tokens * local.qkv_width * local.dtypes.activations,
            element_type(local.dtypes.activations)};
}

Collective scatter_of_heads(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::ReduceScatter,
            local.tokens * local.qkv_width * local.tp * local.dtypes.activations,
            element_type(local.dtypes.activations)};
}

void projections_forward(RoleBuilder& builder, const LocalSizes& local) {
    if (local.latent_width > 0) {
        latent_projections_forward(builder, local);
        return;
    }
    ColumnParallelLinear("attention_qkv", local, local.qkv_width).forward(builder);
    if (local.gather_heads) {
        builder.collective("attention_heads_all_gather_forward", gather_of_heads(local));
    }
}

void projections_backward(RoleBuilder& builder, const LocalSizes& local) {
    if (local.latent_width > 0) {
        latent_projections_backward(builder, local);
        return;
    }
    if (local.gather_heads) {
        builder.collective("attention_heads_reduce_scatter_backward", scatter_of_heads(local));
    }
    ColumnParallelLinear("attention_qkv", local, local.qkv_width).backward(builder);
}

}  // namespace

void dropout(RoleBuilder& builder, const char* name, const LocalSizes& local) {
    if (local.full_ops && local.dropout) {
        builder.compute(name, dropout_mask(local));
    }
}

void attention_forward(RoleBuilder& builder, const LocalSizes& local) {
    builder.compute("attention_norm_forward", norm_forward(local));
    projections_forward(builder, local);
    if (local.qk_norm_width > 0) {
        builder.compute("attention_qk_norm_forward", qk_norm_forward(local));
    }
    if (local.positions == Positions::Rotary) {
        builder.compute("attention_rotary_forward", rotary(local));
    }
    attention_core_forward(builder, local);
    if (local.absorbed) {
        builder.compute("attention_value_expansion_forward", value_expansion(local));
    }
    RowParallelLinear("attention_projection", local, local.value_width).forward(builder);
    dropout(builder, "attention_dropout_forward", local);
    builder.compute("attention_residual_forward", residual(local));
}

void attention_backward(RoleBuilder& builder, const LocalSizes& local) {
    dropout(builder, "attention_dropout_backward", local);
    RowParallelLinear("attention_projection", local, local.value_width).backward(builder);
    attention_core_backward(builder, local);
    if (local.positions == Positions::Rotary) {
        builder.compute("attention_rotary_backward", rotary(local));
    }
    if (local.qk_norm_width > 0) {
        builder.compute("attention_qk_norm_backward", qk_norm_backward(local));
    }
    projections_backward(builder, local);
    builder.compute("attention_norm_backward", norm_backward(local));
    builder.compute("attention_residual_backward", residual(local));
}

void mlp_forward(RoleBuilder& builder, const LocalSizes& local) {
    builder.compute("mlp_norm_forward", norm_forward(local));
    ColumnParallelLinear("mlp_up", local, local.up_columns()).forward(builder);
    builder.compute("mlp_activation_forward", activation_forward(local));
    RowParallelLinear("mlp_down", local, local.ffn).forward(builder);
    dropout(builder, "mlp_dropout_forward", local);
    builder.compute("mlp_residual_forward", residual(local));
}

void mlp_backward(RoleBuilder& builder, const LocalSizes& local) {
    dropout(builder, "mlp_dropout_backward", local);
    RowParallelLinear("mlp_down", local, local.ffn).backward(builder);
    builder.compute("mlp_activation_backward", activation_backward(local));
    ColumnParallelLinear("mlp_up", local, local.up_columns()).backward(builder);
    builder.compute("mlp_norm_backward", norm_backward(local));
    builder.compute("mlp_residual_backward", residual(local));
}

}  // namespace npunet::generators

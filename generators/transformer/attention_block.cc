#include "generators/transformer/attention_block.h"

#include "generators/transformer/attention_core.h"
#include "generators/transformer/latent_attention.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/parallel_linear.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

/// From each rank's even part of the fused QKV columns to all columns; a rank then picks its heads.
Collective gather_of_heads(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllGather,
            local.tokens * local.qkv_width * local.dtypes.activations};
}

Collective scatter_of_heads(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::ReduceScatter,
            local.tokens * local.qkv_width * local.tp * local.dtypes.activations};
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

void attention_forward(RoleBuilder& builder, const LocalSizes& local) {
    builder.compute("attention_norm_forward", norm_forward(local));
    projections_forward(builder, local);
    if (local.positions == Positions::Rotary) {
        builder.compute("attention_rotary_forward", rotary(local));
    }
    attention_core_forward(builder, local);
    if (local.absorbed) {
        builder.compute("attention_value_expansion_forward", value_expansion(local));
    }
    RowParallelLinear("attention_projection", local, local.value_width).forward(builder);
    builder.compute("attention_residual_forward", residual(local));
}

void attention_backward(RoleBuilder& builder, const LocalSizes& local) {
    RowParallelLinear("attention_projection", local, local.value_width).backward(builder);
    attention_core_backward(builder, local);
    if (local.positions == Positions::Rotary) {
        builder.compute("attention_rotary_backward", rotary(local));
    }
    projections_backward(builder, local);
    builder.compute("attention_norm_backward", norm_backward(local));
    builder.compute("attention_residual_backward", residual(local));
}

}  // namespace npunet::generators

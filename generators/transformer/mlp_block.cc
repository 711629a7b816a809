#include "generators/transformer/mlp_block.h"

#include "generators/transformer/operation_costs.h"
#include "generators/transformer/parallel_linear.h"

namespace npunet::generators {

void mlp_forward(RoleBuilder& builder, const LocalSizes& local) {
    builder.compute("mlp_norm_forward", norm_forward(local));
    ColumnParallelLinear("mlp_up", local, local.up_columns()).forward(builder);
    builder.compute("mlp_activation_forward", activation_forward(local));
    RowParallelLinear("mlp_down", local, local.ffn).forward(builder);
    builder.compute("mlp_residual_forward", residual(local));
}

void mlp_backward(RoleBuilder& builder, const LocalSizes& local) {
    RowParallelLinear("mlp_down", local, local.ffn).backward(builder);
    builder.compute("mlp_activation_backward", activation_backward(local));
    ColumnParallelLinear("mlp_up", local, local.up_columns()).backward(builder);
    builder.compute("mlp_norm_backward", norm_backward(local));
    builder.compute("mlp_residual_backward", residual(local));
}

}  // namespace npunet::generators

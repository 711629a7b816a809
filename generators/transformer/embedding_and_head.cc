#include "generators/transformer/embedding_and_head.h"

#include "generators/transformer/operation_costs.h"
#include "generators/transformer/parallel_linear.h"
#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

/// The head multiplies in the activations' type.
LocalSizes of_head(LocalSizes local) {
    local.fp8 = false;
    return local;
}

Collective per_token_all_reduce(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllReduce, local.tokens * fp32,
            element_type(fp32)};
}

}  // namespace

void embedding_forward_pass(RoleBuilder& builder, const LocalSizes& local) {
    const bool learned = local.positions == Positions::Learned;
    builder.compute("embedding_forward", embedding_forward(local));
    if (local.sequence_parallel && !learned) {
        builder.collective("embedding_reduce_scatter_forward", scattered_sum_of_activations(local));
    } else {
        builder.collective("embedding_all_reduce_forward", sum_of_activations(local));
    }
    if (learned) {
        builder.compute("embedding_positions_forward", positions_forward(local));
    }
}

void embedding_backward_pass(RoleBuilder& builder, const LocalSizes& local) {
    if (local.sequence_parallel) {
        builder.collective("embedding_all_gather_backward", gather_of_activations(local));
    }
    // Nothing waits for the gradients of tables but their sums.
    builder.deferrable([&builder, work = embedding_backward(local),
                        learned = local.positions == Positions::Learned] {
        if (learned) {
            builder.compute("embedding_positions_backward", work);
        }
        builder.compute("embedding_backward", work);
    });
}

void head_forward(RoleBuilder& builder, const LocalSizes& local) {
    builder.compute("final_norm_forward", norm_forward(local));
    ColumnParallelLinear("lm_head", of_head(local), local.vocab).forward(builder);
    builder.compute("loss_maximum_forward", logits_maximum(local));
    builder.collective("loss_maximum_all_reduce_forward", per_token_all_reduce(local));
    builder.compute("loss_exponentials_forward", logits_exponentials(local));
    builder.collective("loss_target_all_reduce_forward", per_token_all_reduce(local));
    builder.collective("loss_exponentials_all_reduce_forward", per_token_all_reduce(local));
    builder.compute("loss_forward", loss_forward(local));
}

void head_backward(RoleBuilder& builder, const LocalSizes& local) {
    builder.compute("loss_backward", loss_backward(local));
    ColumnParallelLinear("lm_head", of_head(local), local.vocab).backward(builder);
    builder.compute("final_norm_backward", norm_backward(local));
}

void head_last_tokens(RoleBuilder& builder, const LocalSizes& local) {
    builder.compute("final_norm_forward", norm_forward(local));
    if (local.sequence_parallel) {
        builder.collective("last_tokens_all_gather_forward", gather_of_activations(local));
    }
    LocalSizes last = of_head(local);
    last.tokens = local.sequences;
    builder.compute("lm_head_forward", gemm_forward(last, {last.hidden, last.vocab}));
    builder.collective("logits_all_gather_forward",
                       {tensor_group, chakra::CollectiveType::AllGather,
                        last.tokens * last.vocab * last.dtypes.activations,
                        element_type(last.dtypes.activations)});
    last.vocab *= last.tp;
    builder.compute("sampling_forward", logits_maximum(last));
}

}  // namespace npunet::generators

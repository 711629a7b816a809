#include "generators/transformer/embedding_block.h"

#include "generators/transformer/operation_costs.h"
#include "generators/transformer/parallel_linear.h"

namespace npunet::generators {

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

}  // namespace npunet::generators

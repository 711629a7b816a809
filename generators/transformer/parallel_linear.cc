#include "generators/transformer/parallel_linear.h"

#include <utility>

#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

void weight_gradient(RoleBuilder& builder, const std::string& layer, const Work& work) {
    builder.deferrable([&builder, name = layer + "_wgrad", work] { builder.compute(name, work); });
}

Collective sum_of_activations(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllReduce,
            local.tokens * local.hidden * local.dtypes.activations};
}

Collective scattered_sum_of_activations(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::ReduceScatter,
            local.tokens * local.hidden * local.dtypes.activations};
}

Collective gather_of_activations(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllGather,
            local.shard_tokens * local.hidden * local.dtypes.activations};
}

ColumnParallelLinear::ColumnParallelLinear(std::string name, const LocalSizes& local,
                                           std::int64_t out)
    : name_(std::move(name)), local_(local), layer_{local.hidden, out} {}

void ColumnParallelLinear::forward(RoleBuilder& builder) const {
    if (local_.sequence_parallel) {
        builder.collective(name_ + "_all_gather_forward", gather_of_activations(local_));
    }
    builder.compute(name_ + "_forward", gemm_forward(local_, layer_));
}

void ColumnParallelLinear::backward(RoleBuilder& builder) const {
    Pending saved_input;
    if (local_.sequence_parallel) {
        saved_input = builder.start(name_ + "_all_gather_backward", gather_of_activations(local_));
    }
    builder.compute(name_ + "_dgrad", gemm_dgrad(local_, layer_));
    // One communicator works in order: the sum is issued after the gathered input has arrived.
    builder.wait(saved_input);
    const Pending sum =
        local_.sequence_parallel
            ? builder.start(name_ + "_reduce_scatter_backward",
                            scattered_sum_of_activations(local_))
            : builder.start(name_ + "_all_reduce_backward", sum_of_activations(local_));
    weight_gradient(builder, name_, gemm_wgrad(local_, layer_));
    builder.wait(sum);
}

RowParallelLinear::RowParallelLinear(std::string name, const LocalSizes& local, std::int64_t in)
    : name_(std::move(name)), local_(local), layer_{in, local.hidden} {}

void RowParallelLinear::forward(RoleBuilder& builder) const {
    builder.compute(name_ + "_forward", gemm_forward(local_, layer_));
    if (local_.sequence_parallel) {
        builder.collective(name_ + "_reduce_scatter_forward", scattered_sum_of_activations(local_));
    } else {
        builder.collective(name_ + "_all_reduce_forward", sum_of_activations(local_));
    }
}

void RowParallelLinear::backward(RoleBuilder& builder) const {
    if (local_.sequence_parallel) {
        builder.collective(name_ + "_all_gather_backward", gather_of_activations(local_));
    }
    builder.compute(name_ + "_dgrad", gemm_dgrad(local_, layer_));
    weight_gradient(builder, name_, gemm_wgrad(local_, layer_));
}

}  // namespace npunet::generators

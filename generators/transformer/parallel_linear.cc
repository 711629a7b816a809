#include "generators/transformer/parallel_linear.h"

#include <utility>

#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

namespace {

/// Elements of a linear layer of decoder layers to FP8, where they are nodes.
void cast(RoleBuilder& builder, const std::string& name, const LocalSizes& local,
          std::int64_t elements, std::int64_t element_bytes) {
    if (local.fp8 && local.full_ops) {
        builder.compute(name, cast_to_fp8(elements, element_bytes));
    }
}

void casts_before_forward(RoleBuilder& builder, const std::string& layer, const LocalSizes& local,
                          const Linear& linear) {
    if (local.cast_weights) {
        cast(builder, layer + "_weight_cast_forward", local, linear.in * linear.out,
             local.dtypes.weights);
    }
    cast(builder, layer + "_input_cast_forward", local, local.tokens * linear.in,
         local.dtypes.activations);
}

void cast_before_backward(RoleBuilder& builder, const std::string& layer, const LocalSizes& local,
                          const Linear& linear) {
    cast(builder, layer + "_gradient_cast_backward", local, local.tokens * linear.out,
         local.dtypes.activations);
}

/// A collective next to a product, in whole elements of every rank: what runs beside the product,
/// and the rest, before or after it.
class SharedCollective {
public:
    SharedCollective(std::string name, const Collective& whole, const LocalSizes& local)
        : name_(std::move(name)), beside_(whole), rest_(whole) {
        const std::int64_t unit = local.dtypes.activations *
                                  (whole.type == chakra::CollectiveType::AllGather ? 1 : local.tp);
        const auto units = static_cast<double>(whole.bytes / unit);
        beside_.bytes = static_cast<std::int64_t>(units * local.tp_comm_overlap) * unit;
        rest_.bytes = whole.bytes - beside_.bytes;
    }

    [[nodiscard]] Pending start_beside(RoleBuilder& builder) const {
        return builder.start(name_ + "_overlapped", beside_);
    }
    void exposed(RoleBuilder& builder) const { builder.collective(name_, rest_); }
    /// What is left, to run beside something else.
    [[nodiscard]] Pending start_rest(RoleBuilder& builder) const {
        return builder.start(name_, rest_);
    }

private:
    std::string name_;
    Collective beside_;
    Collective rest_;
};

}  // namespace

void linear_forward(RoleBuilder& builder, const std::string& layer, const LocalSizes& local,
                    const Linear& linear) {
    casts_before_forward(builder, layer, local, linear);
    builder.compute(layer + "_forward", gemm_forward(local, linear));
}

void linear_dgrad(RoleBuilder& builder, const std::string& layer, const LocalSizes& local,
                  const Linear& linear) {
    cast_before_backward(builder, layer, local, linear);
    builder.compute(layer + "_dgrad", gemm_dgrad(local, linear));
}

void weight_gradient(RoleBuilder& builder, const std::string& layer, const LocalSizes& local,
                     const Linear& linear) {
    const std::int64_t parameters = linear.in * linear.out;
    builder.deferrable([&builder, layer, work = gemm_wgrad(local, linear), full = local.full_ops,
                        added = gradient_accumulation(parameters, local.dtypes)] {
        builder.compute(layer + "_wgrad", work);
        if (full) {
            builder.compute(layer + "_gradient_accumulation", added);
        }
    });
}

Collective sum_of_activations(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllReduce,
            local.tokens * local.hidden * local.dtypes.activations,
            element_type(local.dtypes.activations)};
}

Collective scattered_sum_of_activations(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::ReduceScatter,
            local.tokens * local.hidden * local.dtypes.activations,
            element_type(local.dtypes.activations)};
}

Collective gather_of_activations(const LocalSizes& local) {
    return {tensor_group, chakra::CollectiveType::AllGather,
            local.shard_tokens * local.hidden * local.dtypes.activations,
            element_type(local.dtypes.activations)};
}

ColumnParallelLinear::ColumnParallelLinear(std::string name, const LocalSizes& local,
                                           std::int64_t out)
    : name_(std::move(name)), local_(local), layer_{local.hidden, out} {}

void ColumnParallelLinear::forward(RoleBuilder& builder) const {
    if (!local_.sequence_parallel) {
        linear_forward(builder, name_, local_, layer_);
        return;
    }
    const SharedCollective gather(name_ + "_all_gather_forward", gather_of_activations(local_),
                                  local_);
    gather.exposed(builder);
    casts_before_forward(builder, name_, local_, layer_);
    const Pending beside = gather.start_beside(builder);
    builder.compute(name_ + "_forward", gemm_forward(local_, layer_));
    builder.wait(beside);
}

void ColumnParallelLinear::backward(RoleBuilder& builder) const {
    Pending saved_input;
    if (local_.sequence_parallel) {
        saved_input = builder.start(name_ + "_all_gather_backward", gather_of_activations(local_));
    }
    cast_before_backward(builder, name_, local_, layer_);
    // The sum runs beside the weight gradient, or where that is put off beside this product.
    LocalSizes local = local_;
    local.tp_comm_overlap = builder.defers() ? local_.tp_comm_overlap : 0;
    const SharedCollective sum =
        local_.sequence_parallel
            ? SharedCollective(name_ + "_reduce_scatter_backward",
                               scattered_sum_of_activations(local_), local)
            : SharedCollective(name_ + "_all_reduce_backward", sum_of_activations(local_), local);
    const Pending beside = sum.start_beside(builder);
    builder.compute(name_ + "_dgrad", gemm_dgrad(local_, layer_));
    builder.wait(beside);
    // One communicator works in order: the sum is issued after the gathered input has arrived.
    builder.wait(saved_input);
    const Pending rest = sum.start_rest(builder);
    weight_gradient(builder, name_, local_, layer_);
    builder.wait(rest);
}

RowParallelLinear::RowParallelLinear(std::string name, const LocalSizes& local, std::int64_t in)
    : name_(std::move(name)), local_(local), layer_{in, local.hidden} {}

void RowParallelLinear::forward(RoleBuilder& builder) const {
    const SharedCollective sum =
        local_.sequence_parallel
            ? SharedCollective(name_ + "_reduce_scatter_forward",
                               scattered_sum_of_activations(local_), local_)
            : SharedCollective(name_ + "_all_reduce_forward", sum_of_activations(local_), local_);
    casts_before_forward(builder, name_, local_, layer_);
    const Pending beside = sum.start_beside(builder);
    builder.compute(name_ + "_forward", gemm_forward(local_, layer_));
    builder.wait(beside);
    sum.exposed(builder);
}

void RowParallelLinear::backward(RoleBuilder& builder) const {
    const SharedCollective gather(name_ + "_all_gather_backward", gather_of_activations(local_),
                                  local_);
    Pending beside;
    if (local_.sequence_parallel) {
        gather.exposed(builder);
    }
    cast_before_backward(builder, name_, local_, layer_);
    if (local_.sequence_parallel) {
        beside = gather.start_beside(builder);
    }
    builder.compute(name_ + "_dgrad", gemm_dgrad(local_, layer_));
    builder.wait(beside);
    weight_gradient(builder, name_, local_, layer_);
}

}  // namespace npunet::generators

// The two linear layers of tensor parallelism, with their communication.
//
// Megatron-LM's ColumnParallelLinear and RowParallelLinear (Shoeybi et al. 2019), and what sequence
// parallelism makes of them (Korthikanti et al. 2022). n = tokens, h = hidden, e = bytes:
//
// |        | forward                 | backward                                               |
// | column | multiply                | dgrad, all-reduce n h e beside wgrad                   |
// |  + sp  | all-gather, multiply    | all-gather of the saved input beside dgrad,            |
// |        |                         | reduce-scatter n h e beside wgrad                      |
// | row    | multiply, all-reduce    | dgrad, wgrad                                           |
// |  + sp  | multiply, reduce-scatter| all-gather of the gradient, dgrad, wgrad               |
//
// The backward of both is LinearWithGradAccumulationAndAsyncCommunication. wgrad is deferrable
// (role_builder.h): where a schedule puts it off, nothing runs beside the sum, and the gathered
// input is kept for it.
//
// Plan::tp_comm_overlap (Megatron-LM's --tp-comm-overlap, Transformer Engine's user buffers): that
// share of the bytes of a collective that is exposed here starts with the product next to it, as
// NAME_COLLECTIVE_DIRECTION_overlapped; the rest is as in the table. The sum of a column's backward
// pass is exposed where its weight gradient is put off.
//
// With StepOps::Full and FP8, inputs and gradients of outputs are cast before they are multiplied,
// weights in the first micro-batch; a gradient of weights is then added to the main gradient.
#pragma once

#include <string>

#include "generators/role_builder.h"
#include "generators/transformer/operation_costs.h"

namespace npunet::generators {

/// Nodes NAME_forward, NAME_dgrad, NAME_wgrad and NAME_COLLECTIVE_forward|backward.
class ColumnParallelLinear {
public:
    ColumnParallelLinear(std::string name, const LocalSizes& local, std::int64_t out);

    void forward(RoleBuilder& builder) const;
    void backward(RoleBuilder& builder) const;

private:
    std::string name_;
    const LocalSizes& local_;
    Linear layer_;
};

class RowParallelLinear {
public:
    RowParallelLinear(std::string name, const LocalSizes& local, std::int64_t in);

    void forward(RoleBuilder& builder) const;
    void backward(RoleBuilder& builder) const;

private:
    std::string name_;
    const LocalSizes& local_;
    Linear layer_;
};

/// The nodes `layer`_forward, _dgrad and _wgrad, with what Plan::step_ops and Plan::precision add
/// to them. The last is deferrable: `builder` has to outlive its steps.
void linear_forward(RoleBuilder& builder, const std::string& layer, const LocalSizes& local,
                    const Linear& linear);
void linear_dgrad(RoleBuilder& builder, const std::string& layer, const LocalSizes& local,
                  const Linear& linear);
void weight_gradient(RoleBuilder& builder, const std::string& layer, const LocalSizes& local,
                     const Linear& linear);

/// Full activations summed over tp: an all-reduce of n h e.
[[nodiscard]] Collective sum_of_activations(const LocalSizes& local);
/// The same, each rank keeping its tokens: a reduce-scatter of n h e.
[[nodiscard]] Collective scattered_sum_of_activations(const LocalSizes& local);
/// From each rank's tokens to all tokens: an all-gather of a part of n h e / tp.
[[nodiscard]] Collective gather_of_activations(const LocalSizes& local);

}  // namespace npunet::generators

// What an operation of a trace is for, as the generators of this project leave it in its name.
//
//     role_of("mb3_layer0_recompute_mlp_up_forward", OperationKind::Compute)
//         // {Phase::Recompute, Dimension::Other, 3}
//     role_of("mb3_backward_send", OperationKind::Send)
//         // {Phase::Backward, Dimension::Pipeline, 3}
//
// Traces have no attribute for it. Names of `generate transformer` say everything; those of
// `megatron convert` too; of the stage dialect phases and sends; of text workloads phases. Names
// that say nothing give Other, and so does what is not communication for its dimension.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/run_timeline.h"
#include "engine/results/results.h"

namespace npunet::analysis {

struct OperationRole {
    Phase phase = Phase::Other;
    Dimension dimension = Dimension::Other;
    std::int32_t micro_batch = Interval::none;
};

/// Gradients that are summed are part of the backward pass; weights that are gathered when the step
/// is done, of the optimizer.
[[nodiscard]] OperationRole role_of(std::string_view name, engine::OperationKind kind);

}  // namespace npunet::analysis

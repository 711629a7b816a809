// The training step of one pipeline stage, as a role that all its ranks share.
//
// Names: mb3_layer2_attention_qkv_forward (micro-batch, decoder layer of the whole model,
// operation), mb3_forward_send, layer2_gradients_all_reduce, optimizer_step.
#pragma once

#include <cstdint>

#include "generators/transformer/moe_amounts.h"
#include "generators/transformer/plan.h"
#include "generators/workload.h"

namespace npunet::generators {

/// Needs a resolved plan; 0 <= stage < plan.pp. Stage p holds the layers from p L / pp on. `moe` is
/// null for a model without experts.
[[nodiscard]] Role stage_role(const ModelSpec& model, const Plan& plan, std::int64_t stage,
                              const MoeAmounts* moe);

}  // namespace npunet::generators

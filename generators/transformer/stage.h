// The training step of one pipeline stage, as a role that all its ranks share.
//
// Names: mb3_layer2_attention_qkv_forward (micro-batch, decoder layer of the whole model,
// operation), mb3_forward_send (mb3_chunk1_forward_send with several chunks a stage),
// layer2_gradients_all_reduce, optimizer_step.
#pragma once

#include <cstdint>

#include "generators/transformer/moe_amounts.h"
#include "generators/transformer/plan.h"
#include "generators/workload.h"

namespace npunet::generators {

/// Needs a resolved plan; 0 <= stage < plan.pp. Stage p holds the layers of its chunks: n = L / (pp
/// vpp) layers from (c pp + p) n on for chunk c. `moe` is null for a model without experts.
[[nodiscard]] Role stage_role(const ModelSpec& model, const Plan& plan, std::int64_t stage,
                              const MoeAmounts* moe);

}  // namespace npunet::generators

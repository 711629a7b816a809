// Names the tensors that the nodes of a stage write and read, so that a simulation of the traces
// tracks memory (engine/npu/memory_tracker.h: from the start of the writer to the end of the last
// reader).
//
// A layer keeps two tensors of a micro-batch, mb3_layer7_attention and mb3_layer7_mlp, each of all
// that saved_activations.h lists for the half: written by the half's first node after its norm,
// read by the nodes of its backward pass that need them (weight gradients, element-wise work and
// the core), the norm's last. Recomputation writes tensors of its own (mb3_layer7_recomputed_...).
// layer7_weights, layer7_gradients and layer7_optimizer are read by the last node of the step,
// which keeps them for the whole of it. In inference a half's tensor lasts until its last
// multiplication, and layer7_cache to the end.
//
// Where experts take unequally many tokens, their tensors differ from rank to rank, and from one
// micro-batch to the next.
//
// The peak of a rank is then StageMemory::peak() (memory_estimate.h) exactly, whenever compute
// nodes take time.
#pragma once

#include <cstdint>

#include "generators/transformer/moe_amounts.h"
#include "generators/transformer/plan.h"
#include "generators/workload.h"

namespace npunet::generators {

/// `role` is that of pipeline stage `stage`; its nodes carry the names that
/// training_step.cc describes. `moe` is null for a model without experts.
void name_tensors(Role& role, const ModelSpec& model, const Plan& plan, std::int64_t stage,
                  const MoeAmounts* moe);

}  // namespace npunet::generators

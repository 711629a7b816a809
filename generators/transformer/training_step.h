// One training step of a decoder-only transformer, as Megatron-LM runs it.
//
//     ModelSpec model = load_model("llama2-7b");
//     Plan plan;
//     plan.tp = 8;
//     plan.batch = 32;
//     GeneratedWorkload workload = generate(model, plan);
//
// What is modelled: every matrix multiplication, element-wise kernels, tensor, sequence, context
// and pipeline parallel communication, recomputation, gradient sums, the optimizer, the tensors
// that take memory; with StepOps::Full what else passes over gradients, masks of dropout, casts to
// FP8; and, as Plan::mode says, inference instead. What is not: the data loader, the sum of losses
// over replicas. docs/generators.md gives the formulas.
#pragma once

#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"
#include "generators/workload.h"

namespace npunet::generators {

/// Resolves the plan and generates; the same input gives the same workload. Role p is pipeline
/// stage p. Throws InputError for an impossible plan.
[[nodiscard]] GeneratedWorkload generate(const ModelSpec& model, const Plan& plan);

}  // namespace npunet::generators

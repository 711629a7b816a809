// FLOPs that a model asks for in a step, whatever the plan computes again, masks or repeats: the
// numerator of model FLOPs utilization (MFU).
//
//     const ModelFlops flops = model_flops(model, resolve_plan(model, plan));
//     to_double(flops.megatron) / seconds / npus / peak;
//
// A multiply-add counts as 2. Both counts take three times the forward pass for training, and every
// query of attention meets all keys, masked or not:
//
//     Megatron's   6 P T + 6 L s a (d_qk + d_v) T
//     PaLM's       6 N T + 6 L s a (d_qk + d_v) T
//
// for T tokens in sequences of s, L layers with a query heads of d_qk and d_v channels. P are the
// weights that multiply a token (multiplying_weights(); the head has the padded vocabulary); N are
// the parameters that a token meets, embedding tables, norms and biases included. Of experts those
// of a token count, and the shared ones. For GPT (d a = h, MLP of 4 h) Megatron's is 72 B s l h^2
// (1 + s / (6 h) + V / (12 l h)) of Narayanan et al. 2021, eq. 3, and Korthikanti et al. 2022,
// without recomputation; PaLM's is 6 N + 12 L H Q T a token of Chowdhery et al. 2022, appendix B.
//
// Inference is the forward pass alone, a third of that: prefill has logits of the last token of
// each sequence in Megatron's count; in decode T is one token of each sequence, and s the context.
// Latent attention counts as written above, also where decoding absorbs matrices.
#pragma once

#include "generators/transformer/model_spec.h"
#include "generators/transformer/plan.h"
#include "generators/workload_totals.h"

namespace npunet::generators {

struct ModelFlops {
    WideCount megatron = 0;
    WideCount palm = 0;
};

/// Of a step on all ranks together. Needs a resolved plan.
[[nodiscard]] ModelFlops model_flops(const ModelSpec& model, const Plan& plan);

}  // namespace npunet::generators

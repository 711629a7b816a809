// A decoder layer on one rank: its attention half (norm, projections, attention_core.h, projection,
// residual) and its dense MLP half (norm, up and gate, activation, down, residual); moe_block.h has
// the half with experts.
//
// Multi-head latent attention (DeepSeek-V2, 2024): from the hidden vectors to queries, keys and
// values.
//
// One multiplication takes a token to its low-rank vectors (queries', keys' and values') and the
// rotated key that all heads share. Its columns are split over tp and gathered; the vectors are
// normalised on every rank, and each rank expands them for its own heads. Backward, every rank has
// its heads' part of their gradients: an all-reduce of n (q + kv + rope) e beside the weight
// gradients. (Megatron-LM, MLASelfAttention with column-parallel down projections.)
//
// A decode step expands nothing: the keys' matrix is applied to the queries, the core works on the
// cached vectors, and the values' matrix is applied to its result, which is as many multiplications
// for the token itself as expanding it, and none for those in the cache.
#pragma once

#include "generators/role_builder.h"
#include "generators/transformer/local_sizes.h"

namespace npunet::generators {

void attention_forward(RoleBuilder& builder, const LocalSizes& local);
void attention_backward(RoleBuilder& builder, const LocalSizes& local);

/// A node for the mask of a half's result, where Plan::step_ops and the model have one.
void dropout(RoleBuilder& builder, const char* name, const LocalSizes& local);

void mlp_forward(RoleBuilder& builder, const LocalSizes& local);
void mlp_backward(RoleBuilder& builder, const LocalSizes& local);

}  // namespace npunet::generators

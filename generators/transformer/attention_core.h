// The attention core of a decoder layer, and what context parallelism adds to it: from a rank's
// queries, keys and values to its part of the output.
//
// A rank holds s/cp tokens of every sequence, but queries attend to the keys of all s. By
// Plan::context_comm, with n = tokens of the rank, e = bytes of an activation and w, k the channels
// of its query and key heads (of latent attention 2 k stands for keys and values together, and w in
// the result for its values):
//
// - PointToPoint: ring attention (Liu et al. 2023; Transformer Engine's p2p). The sequence is cut
//   into 2 cp chunks; rank i has chunks i and 2 cp - 1 - i (zigzag), so that under a causal mask
//   each of the cp steps has the same work on every rank: 1/cp of the rank's. Forward: in steps
//   0 .. cp-2 the keys and values at hand, 2 n k e bytes, go to the next rank while they are worked
//   on. Backward, the other way round from where forward ended: steps 0 .. cp-2 pass keys and
//   values on, steps 1 .. cp-1 the sum of dK and dV of the step before, of the same size; after the
//   last one every sum is where its keys are. Merging the steps' partial results costs nothing.
// - AllGather: K and V in one all-gather, own part 2 n k e, kept for backward; a reduce-scatter of
//   the sums of dK and dV, cp times as large.
// - AllToAll: from all heads of s/cp tokens to heads/cp of all tokens and back (DeepSpeed-Ulysses,
//   Jacobs et al. 2023): one all-to-all of n (w + 2 k') e before and one of n w e after, both
//   again backward. Where a rank has fewer key heads than cp, k' holds each as often as needed.
//
// Selective recomputation computes the core again before its backward pass. Gathered or exchanged
// keys and values were kept; the ring keeps the rank's own alone, and sends them round once more.
#pragma once

#include "generators/role_builder.h"
#include "generators/transformer/local_sizes.h"

namespace npunet::generators {

/// Of the core between the two exchanges of AllToAll.
[[nodiscard]] LocalSizes all_tokens_of_some_heads(const LocalSizes& local);

void attention_core_forward(RoleBuilder& builder, const LocalSizes& local);
void attention_core_backward(RoleBuilder& builder, const LocalSizes& local);

}  // namespace npunet::generators

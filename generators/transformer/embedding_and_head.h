// The two ends of the model on one rank, both split over tp by vocabulary: the token embedding of
// the first stage, and the last stage's final norm, LM head and cross entropy.
//
// Megatron-LM's VocabParallelEmbedding and LanguageModelEmbedding: every rank looks its own rows up
// and the sum over tp is the embedding. With sequence parallelism the sum is scattered at once,
// unless learned positions have to be added first: then it is all-reduced and cut locally.
//
// Megatron-LM's VocabParallelCrossEntropy over tp, per token in fp32: the maximum of the logits,
// then the target's logit, then the sum of exponentials; three all-reduces of 4 bytes a token
// forward, none backward.
#pragma once

#include "generators/role_builder.h"
#include "generators/transformer/local_sizes.h"

namespace npunet::generators {

void embedding_forward_pass(RoleBuilder& builder, const LocalSizes& local);
void embedding_backward_pass(RoleBuilder& builder, const LocalSizes& local);

void head_forward(RoleBuilder& builder, const LocalSizes& local);
void head_backward(RoleBuilder& builder, const LocalSizes& local);
/// Inference: the logits of the last token of each sequence, gathered over tp. With sequence
/// parallel the tokens are gathered after the final norm, as Megatron-LM does to pick the last.
void head_last_tokens(RoleBuilder& builder, const LocalSizes& local);

}  // namespace npunet::generators

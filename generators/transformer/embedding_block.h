// The token embedding on the first stage, its table split over tp by rows of the vocabulary.
//
// Megatron-LM's VocabParallelEmbedding and LanguageModelEmbedding: every rank looks its own rows up
// and the sum over tp is the embedding. With sequence parallelism the sum is scattered at once,
// unless learned positions have to be added first: then it is all-reduced and cut locally.
#pragma once

#include "generators/role_builder.h"
#include "generators/transformer/local_sizes.h"

namespace npunet::generators {

void embedding_forward_pass(RoleBuilder& builder, const LocalSizes& local);
void embedding_backward_pass(RoleBuilder& builder, const LocalSizes& local);

}  // namespace npunet::generators

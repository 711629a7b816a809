// The attention half of a decoder layer: norm, projections (plain or latent_attention.h), attention
// core (attention_core.h), projection, residual.
#pragma once

#include "generators/role_builder.h"
#include "generators/transformer/local_sizes.h"

namespace npunet::generators {

void attention_forward(RoleBuilder& builder, const LocalSizes& local);
void attention_backward(RoleBuilder& builder, const LocalSizes& local);

}  // namespace npunet::generators

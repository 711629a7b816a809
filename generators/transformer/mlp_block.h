// The MLP half of a decoder layer: norm, up (and gate), activation, down, residual.
#pragma once

#include "generators/role_builder.h"
#include "generators/transformer/local_sizes.h"

namespace npunet::generators {

void mlp_forward(RoleBuilder& builder, const LocalSizes& local);
void mlp_backward(RoleBuilder& builder, const LocalSizes& local);

}  // namespace npunet::generators

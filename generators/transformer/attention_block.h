// The attention half of a decoder layer: norm, QKV, attention core, projection, residual.
//
// With context parallelism a rank's queries attend to all keys: keys and values are gathered over
// the context group, K and V in one collective, and are kept for the backward pass, which scatters
// the sums of dK and dV. Selective recomputation computes the core again when its backward needs
// it; what the core reads was kept, so nothing is communicated again.
#pragma once

#include "generators/role_builder.h"
#include "generators/transformer/local_sizes.h"

namespace npunet::generators {

void attention_forward(RoleBuilder& builder, const LocalSizes& local);
void attention_backward(RoleBuilder& builder, const LocalSizes& local);

}  // namespace npunet::generators

// STAGE's attention module: projections to queries, keys and values, their two products, the
// residual sum, a norm; forward and backward. No output projection.
#pragma once

#include <string>

#include "generators/stage/module_shapes.h"

namespace npunet::generators::stage_dialect {

[[nodiscard]] ModuleEnds add_attention(TensorGraph& graph, std::string prefix, std::int32_t layer,
                                       bool sharded, bool recompute);

}  // namespace npunet::generators::stage_dialect

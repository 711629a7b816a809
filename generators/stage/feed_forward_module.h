// STAGE's feed-forward module: two matrices, the residual sum, a norm; forward and backward.
#pragma once

#include <string>

#include "generators/stage/module_shapes.h"

namespace npunet::generators::stage_dialect {

[[nodiscard]] ModuleEnds add_feed_forward(TensorGraph& graph, std::string prefix,
                                          std::int32_t layer, bool sharded, bool recompute);

}  // namespace npunet::generators::stage_dialect

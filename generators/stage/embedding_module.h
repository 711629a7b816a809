// STAGE's embedding: a whole matrix multiplication, at both ends of the model.
#pragma once

#include <string>

#include "generators/stage/module_shapes.h"

namespace npunet::generators::stage_dialect {

using EmbeddingEnds = ModuleEnds;

/// From width `in` to width `out`.
[[nodiscard]] EmbeddingEnds add_embedding(TensorGraph& graph, std::string prefix,
                                          std::int32_t block, Symbol in, Symbol out, bool sharded);

}  // namespace npunet::generators::stage_dialect

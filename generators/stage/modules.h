// The modules of STAGE's transformer and the whole training step made of them.
//
//     const TensorGraph graph = training_step(arguments);
//
// The tensors stand in STAGE's order, from which ids of nodes follow: both embeddings, the layers
// (attention, then feed-forward), one update for each weight. One pass over the whole batch; no
// micro-batches, masks, softmax, activation functions, output projection, loss or optimizer state.
#pragma once

#include "generators/stage/stage_arguments.h"
#include "generators/stage/tensor_graph.h"

namespace npunet::generators::stage_dialect {

[[nodiscard]] TensorGraph training_step(const StageArguments& arguments);

}  // namespace npunet::generators::stage_dialect

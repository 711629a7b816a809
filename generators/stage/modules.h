// The modules of STAGE's transformer and the whole training step made of them.
//
//     const TensorGraph graph = training_step(arguments);
//
// The tensors stand in STAGE's order, from which ids of nodes follow: both embeddings, the layers
// (attention, then feed-forward), one update for each weight. One pass over the whole batch; no
// micro-batches, masks, softmax, activation functions, output projection, loss or optimizer state.
#pragma once

#include <string>

#include "generators/stage/stage_arguments.h"
#include "generators/stage/tensor_graph.h"

namespace npunet::generators::stage_dialect {

[[nodiscard]] TensorGraph training_step(const StageArguments& arguments);

// Dimensions that the modules share.

inline constexpr Dim batch{Symbol::Batch, Symbol::Dp};
inline constexpr Dim seq{Symbol::Seq, Symbol::Sp};
inline constexpr Dim whole_seq{Symbol::Seq};
inline constexpr Dim model{Symbol::Dmodel};
inline constexpr Dim model_part{Symbol::Dmodel, Symbol::Tp};

/// The residual stream between modules: split over dp, sp and tp.
[[nodiscard]] inline Shape stream() {
    return {batch, seq, model_part};
}
/// The same, whole in the model's width.
[[nodiscard]] inline Shape wide_stream() {
    return {batch, seq, model};
}

/// Operations an element of a norm.
inline constexpr std::int32_t norm_amplitude = 5;

/// Where a module of a layer is linked to its neighbours.
struct ModuleEnds {
    TensorId x;   ///< input
    TensorId y;   ///< output
    TensorId dy;  ///< gradient of the output, an input of the backward pass
    TensorId dx;  ///< gradient of the input
};

/// Projections to queries, keys and values, their two products, the residual sum, a norm; forward
/// and backward. No output projection.
[[nodiscard]] ModuleEnds add_attention(TensorGraph& graph, std::string prefix, std::int32_t layer,
                                       bool sharded, bool recompute);

/// Two matrices, the residual sum, a norm; forward and backward.
[[nodiscard]] ModuleEnds add_feed_forward(TensorGraph& graph, std::string prefix,
                                          std::int32_t layer, bool sharded, bool recompute);

}  // namespace npunet::generators::stage_dialect

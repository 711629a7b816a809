// The dimensions that STAGE's modules share.
#pragma once

#include "generators/stage/tensor_graph.h"

namespace npunet::generators::stage_dialect {

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

}  // namespace npunet::generators::stage_dialect

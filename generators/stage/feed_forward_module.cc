#include "generators/stage/modules.h"

#include <utility>

namespace npunet::generators::stage_dialect {

namespace {

constexpr Dim inner_part{Symbol::Dff, Symbol::Tp};
constexpr Dim model_shard{Symbol::Dmodel, Symbol::Dp, Symbol::Sp};

struct Weights {
    Operand w1;
    Operand w2;
};

/// The gradients of weights and input from dres on.
TensorId add_backward(ModuleBuilder& rows, const Weights& weights, const Operand& x0,
                      TensorId inner, TensorId dres) {
    const Shape part{batch, seq, inner_part};
    const TensorId dx2 = rows.identity("dx2", {dres, stream()});
    const TensorId dw2 = rows.product("dw2", {dx2, wide_stream()}, {inner, part}, "bsn,bsm->mn");
    const TensorId dx1 = rows.product("dx1", {dx2, wide_stream()}, weights.w2, "bsn,mn->bsm");
    const TensorId dw1 = rows.product("dw1", {dx1, part}, x0, "bsn,bsm->mn");
    const TensorId dx00 = rows.identity("dx00", {dres, stream()});
    const TensorId dx01 = rows.product("dx01", {dx1, part}, weights.w1, "bsn,mn->bsm");
    rows.set_gradient(weights.w1.tensor, dw1);
    rows.set_gradient(weights.w2.tensor, dw2);
    return rows.sum("dx0", dx00, dx01, stream());
}

}  // namespace

ModuleEnds add_feed_forward(TensorGraph& graph, std::string prefix, std::int32_t layer,
                            bool sharded, bool recompute) {
    ModuleBuilder rows(graph, std::move(prefix), layer);
    const Shape up{model, inner_part};
    const Shape down{inner_part, model};
    const Shape part{batch, seq, inner_part};
    ModuleEnds ends{};
    ends.x = rows.placeholder("x0", stream());
    const Operand x0{ends.x, wide_stream()};
    Weights weights;
    weights.w1 = {rows.placeholder("w1", sharded ? Shape{model_shard, inner_part} : up), up};
    const TensorId x1 = rows.product("x1", x0, weights.w1, "bsm,mn->bsn");
    weights.w2 = {rows.placeholder("w2", sharded ? Shape{inner_part, model_shard} : down), down};
    const TensorId x2 = rows.product("x2", {x1, part}, weights.w2, "bsm,mn->bsn");
    const TensorId res = rows.sum("res", x2, ends.x, stream());
    ends.y = rows.scale("norm", {res, stream()}, norm_amplitude);
    const TensorId inner =
        recompute ? rows.product("x1_recomp", x0, weights.w1, "bsm,mn->bsn") : x1;
    ends.dy = rows.placeholder("dnorm", stream());
    const TensorId dres = rows.scale("dres", {ends.dy, stream()}, norm_amplitude);
    if (recompute) {
        rows.set_after(inner, dres);
    }
    ends.dx = add_backward(rows, weights, x0, inner, dres);
    return ends;
}

}  // namespace npunet::generators::stage_dialect

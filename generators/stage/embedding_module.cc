#include "generators/stage/embedding_module.h"

#include <utility>

namespace npunet::generators::stage_dialect {

EmbeddingEnds add_embedding(TensorGraph& graph, std::string prefix, std::int32_t block, Symbol in,
                            Symbol out, bool sharded) {
    ModuleBuilder rows(graph, std::move(prefix), block);
    const Shape wide_x{batch, seq, {in}};
    const Shape part_y{batch, seq, {out, Symbol::Tp}};
    const Shape matrix{{in}, {out, Symbol::Tp}};
    const Shape stored = sharded ? Shape{{in, Symbol::Dp, Symbol::Sp}, {out, Symbol::Tp}} : matrix;
    EmbeddingEnds ends{};
    ends.x = rows.placeholder("x", {batch, seq, {in, Symbol::Tp}});
    const TensorId w = rows.placeholder("w", stored);
    ends.y = rows.product("y", {ends.x, wide_x}, {w, matrix}, "bsm,mn->bsn");
    ends.dy = rows.placeholder("dy", part_y);
    const TensorId dw = rows.product("dw", {ends.dy, part_y}, {ends.x, wide_x}, "bsn,bsm->mn");
    ends.dx = rows.product("dx", {ends.dy, part_y}, {w, matrix}, "bsn,mn->bsm");
    rows.set_gradient(w, dw);
    return ends;
}

}  // namespace npunet::generators::stage_dialect

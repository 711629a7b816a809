#include "generators/stage/modules.h"

#include <string>
#include <utility>

namespace npunet::generators::stage_dialect {

namespace {

/// Turns an input of a module into another name for what a module before it makes.
void link(TensorGraph& graph, TensorId input, TensorId producer) {
    Tensor& tensor = graph[static_cast<std::size_t>(input)];
    tensor.operation = Operation::Identity;
    tensor.x1.tensor = producer;
}

void add_weight_updates(TensorGraph& graph) {
    const std::size_t tensors = graph.size();
    for (std::size_t i = 0; i < tensors; ++i) {
        if (graph[i].gradient == no_tensor) {
            continue;
        }
        Tensor update;
        update.name = graph[i].name;
        update.revision = 1;
        update.block = graph[i].block;
        update.operation = Operation::Sum;
        update.x1 = {static_cast<TensorId>(i), graph[i].y.shape};
        update.x2 = {graph[i].gradient, graph[i].y.shape};
        update.y.shape = graph[i].y.shape;
        graph.push_back(std::move(update));
    }
}

/// The embedding from width `in` to width `out`, at both ends of the model: a whole matrix
/// multiplication.
ModuleEnds add_embedding(TensorGraph& graph, std::string prefix, std::int32_t block, Symbol in,
                         Symbol out, bool sharded) {
    ModuleBuilder rows(graph, std::move(prefix), block);
    const Shape wide_x{batch, seq, {in}};
    const Shape part_y{batch, seq, {out, Symbol::Tp}};
    const Shape matrix{{in}, {out, Symbol::Tp}};
    const Shape stored = sharded ? Shape{{in, Symbol::Dp, Symbol::Sp}, {out, Symbol::Tp}} : matrix;
    ModuleEnds ends{};
    ends.x = rows.placeholder("x", {batch, seq, {in, Symbol::Tp}});
    const TensorId w = rows.placeholder("w", stored);
    ends.y = rows.product("y", {ends.x, wide_x}, {w, matrix}, "bsm,mn->bsn");
    ends.dy = rows.placeholder("dy", part_y);
    const TensorId dw = rows.product("dw", {ends.dy, part_y}, {ends.x, wide_x}, "bsn,bsm->mn");
    ends.dx = rows.product("dx", {ends.dy, part_y}, {w, matrix}, "bsn,mn->bsm");
    rows.set_gradient(w, dw);
    return ends;
}

}  // namespace

TensorGraph training_step(const StageArguments& arguments) {
    constexpr std::size_t tensors_of_layer = 61;
    TensorGraph graph;
    graph.reserve(16 + static_cast<std::size_t>(arguments.num_stacks) * tensors_of_layer);
    const bool sharded = arguments.weight_sharded;
    const bool recompute = arguments.activation_recompute;
    const ModuleEnds input =
        add_embedding(graph, "in_emb_", input_block, Symbol::Din, Symbol::Dmodel, sharded);
    const ModuleEnds output =
        add_embedding(graph, "out_emb_", output_block, Symbol::Dmodel, Symbol::Dout, sharded);
    link(graph, output.dy, output.y);
    TensorId forward = input.y;
    TensorId backward = input.dy;
    for (std::int32_t layer = 0; layer < arguments.num_stacks; ++layer) {
        const std::string prefix = "stack_" + std::to_string(layer);
        const ModuleEnds attention =
            add_attention(graph, prefix + "_mha_", layer, sharded, recompute);
        const ModuleEnds feed_forward =
            add_feed_forward(graph, prefix + "_ffn_", layer, sharded, recompute);
        link(graph, attention.x, forward);
        link(graph, backward, attention.dx);
        link(graph, feed_forward.x, attention.y);
        link(graph, attention.dy, feed_forward.dx);
        forward = feed_forward.y;
        backward = feed_forward.dy;
    }
    link(graph, output.x, forward);
    link(graph, backward, output.dx);
    add_weight_updates(graph);
    return graph;
}

}  // namespace npunet::generators::stage_dialect

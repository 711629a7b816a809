#include "generators/stage/modules.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace npunet::generators::stage_dialect {

namespace {

constexpr Dim of_head{Symbol::Dmodel, Symbol::Head};
constexpr Dim heads{Symbol::Head, Symbol::Tp};

/// Queries, keys or values of this rank's part of the sequence.
Shape of_part() {
    return {batch, seq, of_head, heads};
}
/// The same of the whole sequence.
Shape of_whole() {
    return {batch, whole_seq, of_head, heads};
}
/// Scores of all queries against this rank's keys.
Shape scores() {
    return {batch, whole_seq, seq, heads};
}

enum Projection : std::size_t { queries, keys, values };

/// Names of something that queries, keys and values each have.
using Names = std::array<std::string_view, 3>;
constexpr Names projections{"q", "k", "v"};
constexpr Names projections_again{"q_recomp", "k_recomp", "v_recomp"};
constexpr Names matrices{"wq", "wk", "wv"};
constexpr Names matrix_gradients{"d_wq", "d_wk", "d_wv"};
constexpr Names input_gradients{"d_x1", "d_x2", "d_x3"};

/// Of queries, keys and values.
using Three = std::array<TensorId, 3>;

struct Kept {
    Three projected;  ///< what the backward pass uses: from the forward pass or computed again
    TensorId scores;
};

class AttentionRows {
public:
    AttentionRows(TensorGraph& graph, std::string prefix, std::int32_t layer, bool sharded)
        : rows_(graph, std::move(prefix), layer), sharded_(sharded) {}

    [[nodiscard]] ModuleEnds add(bool recompute) {
        ModuleEnds ends{};
        ends.x = rows_.placeholder("x", stream());
        x_ = ends.x;
        const Shape stored = sharded_ ? Shape{{Symbol::Dmodel, Symbol::Dp},
                                              {Symbol::Dmodel, Symbol::Head, Symbol::Sp},
                                              heads}
                                      : matrix_;
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            weights_[i] = rows_.placeholder(matrices[i], stored);
        }
        const Kept first = forward();
        const TensorId qkv = rows_.product("qkv", {first.scores, scores()},
                                           {first.projected[values], of_part()}, "bswh,bwnh->bsnh");
        const TensorId reshaped = rows_.reshape("qkv_reshape", {qkv, of_part()}, stream());
        const TensorId res = rows_.sum("res", reshaped, x_, stream());
        ends.y = rows_.scale("norm", {res, stream()}, norm_amplitude);
        const Kept kept = recompute ? again(first) : first;
        ends.dy = rows_.placeholder("d_norm", stream());
        const TensorId d_res = rows_.scale("d_res", {ends.dy, stream()}, norm_amplitude);
        if (recompute) {
            for (const TensorId projected : kept.projected) {
                rows_.set_after(projected, d_res);
            }
            rows_.set_after(kept.scores, d_res);
        }
        const Three gradients = add_score_gradients(kept, d_res);
        ends.dx = add_input_gradient(gradients, d_res);
        return ends;
    }

private:
    [[nodiscard]] Three project(const Names& names) {
        Three projected{};
        for (std::size_t i = 0; i < names.size(); ++i) {
            projected[i] = rows_.product(names[i], {x_, wide_stream()}, {weights_[i], matrix_},
                                         "bsm,mnh->bsnh");
        }
        return projected;
    }

    [[nodiscard]] TensorId score(std::string_view name, const Three& projected) {
        return rows_.product(name, {projected[queries], of_whole()}, {projected[keys], of_part()},
                             "bsnh,bwnh->bswh");
    }

    [[nodiscard]] Kept forward() {
        const Three projected = project(projections);
        return {projected, score("qk", projected)};
    }

    /// With sharded weights STAGE computes the scores again from the queries and keys of the
    /// forward pass.
    [[nodiscard]] Kept again(const Kept& first) {
        const Three projected = project(projections_again);
        return {projected, score("qk_recomp", sharded_ ? first.projected : projected)};
    }

    /// The gradients of queries, keys and values.
    [[nodiscard]] Three add_score_gradients(const Kept& kept, TensorId d_res) {
        const TensorId d_reshaped = rows_.identity("d_qkv_reshape", {d_res, stream()});
        const TensorId d_qkv = rows_.reshape("d_qkv", {d_reshaped, stream()}, of_part());
        const TensorId d_qk = rows_.product("d_qk", {d_qkv, of_whole()},
                                            {kept.projected[values], of_part()}, "bsnh,bwnh->bswh");
        Three gradients{};
        gradients[values] =
            rows_.product("d_v", {d_qkv, of_whole()}, {kept.scores, scores()}, "bsnh,bswh->bwnh");
        gradients[queries] = rows_.product("d_q", {d_qk, scores()},
                                           {kept.projected[keys], of_part()}, "bswh,bwnh->bsnh");
        gradients[keys] = rows_.product("d_k", {d_qk, scores()},
                                        {kept.projected[queries], of_whole()}, "bswh,bsnh->bwnh");
        return gradients;
    }

    [[nodiscard]] TensorId add_input_gradient(const Three& gradients, TensorId d_res) {
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            rows_.set_gradient(weights_[i],
                               rows_.product(matrix_gradients[i], {gradients[i], of_part()},
                                             {x_, wide_stream()}, "bsnh,bsm->mnh"));
        }
        Three d_x{};
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            d_x[i] = rows_.product(input_gradients[i], {gradients[i], of_part()},
                                   {weights_[i], matrix_}, "bsnh,mnh->bsm");
        }
        const TensorId d_x4 = rows_.identity("d_x4", {d_res, stream()});
        const TensorId d_x12 = rows_.sum("d_x12", d_x[0], d_x[1], stream());
        const TensorId d_x34 = rows_.sum("d_x34", d_x[2], d_x4, stream());
        return rows_.sum("d_x", d_x12, d_x34, stream());
    }

    ModuleBuilder rows_;
    bool sharded_;
    TensorId x_ = no_tensor;
    Three weights_{};
    const Shape matrix_{model, of_head, heads};
};

}  // namespace

ModuleEnds add_attention(TensorGraph& graph, std::string prefix, std::int32_t layer, bool sharded,
                         bool recompute) {
    return AttentionRows(graph, std::move(prefix), layer, sharded).add(recompute);
}

}  // namespace npunet::generators::stage_dialect

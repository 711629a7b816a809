// A numbering of ranks by coordinates along named axes, in any order of the axes.
//
//     AxisGrid grid({Tensor, Context, Expert, Data, Pipeline}, sizes);   // leftmost fastest
//     grid.coordinate(Rank(11), GridAxis::Context);
//     grid.neighbour(Rank(11), GridAxis::Pipeline, +1);
//
// Megatron-LM's RankGenerator: rank = sum over axes of coordinate x stride, where the stride of an
// axis is the product of the sizes of the faster ones.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "generators/transformer/plan.h"

namespace npunet::generators {

class AxisGrid {
public:
    /// `sizes` by the value of GridAxis, each at least 1.
    AxisGrid(const RankOrder& order, const std::array<std::int64_t, grid_axes>& sizes);

    [[nodiscard]] std::int64_t size(GridAxis axis) const { return sizes_[index(axis)]; }
    [[nodiscard]] std::int64_t stride(GridAxis axis) const { return strides_[index(axis)]; }
    [[nodiscard]] std::int64_t coordinate(Rank rank, GridAxis axis) const {
        return rank.value() / stride(axis) % size(axis);
    }
    /// The rank `steps` further along an axis, round its end.
    [[nodiscard]] Rank neighbour(Rank rank, GridAxis axis, std::int64_t steps) const;

    /// Ranks that differ from `rank` along `axes` at most, ascending.
    [[nodiscard]] std::vector<Rank> group(Rank rank, const std::vector<GridAxis>& axes) const;
    /// Whether `rank` is the first of its group along `axes`.
    [[nodiscard]] bool leads(Rank rank, const std::vector<GridAxis>& axes) const;

private:
    static std::size_t index(GridAxis axis) { return static_cast<std::size_t>(axis); }

    std::array<std::int64_t, grid_axes> sizes_;
    std::array<std::int64_t, grid_axes> strides_{};
};

}  // namespace npunet::generators

#include "generators/transformer/axis_grid.h"

#include <algorithm>

namespace npunet::generators {

AxisGrid::AxisGrid(const RankOrder& order, const std::array<std::int64_t, grid_axes>& sizes)
    : sizes_(sizes) {
    std::int64_t stride = 1;
    for (const GridAxis axis : order) {
        strides_[index(axis)] = stride;
        stride *= size(axis);
    }
}

Rank AxisGrid::neighbour(Rank rank, GridAxis axis, std::int64_t steps) const {
    const std::int64_t at = coordinate(rank, axis);
    const std::int64_t next = ((at + steps) % size(axis) + size(axis)) % size(axis);
    return Rank(static_cast<std::int32_t>(rank.value() + (next - at) * stride(axis)));
}

std::vector<Rank> AxisGrid::group(Rank rank, const std::vector<GridAxis>& axes) const {
    std::int64_t first = rank.value();
    for (const GridAxis axis : axes) {
        first -= coordinate(rank, axis) * stride(axis);
    }
    std::vector<Rank> ranks{Rank(static_cast<std::int32_t>(first))};
    for (const GridAxis axis : axes) {
        const std::size_t before = ranks.size();
        for (std::int64_t i = 1; i < size(axis); ++i) {
            for (std::size_t r = 0; r < before; ++r) {
                ranks.push_back(neighbour(ranks[r], axis, i));
            }
        }
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

bool AxisGrid::leads(Rank rank, const std::vector<GridAxis>& axes) const {
    return std::all_of(axes.begin(), axes.end(),
                       [&](GridAxis axis) { return coordinate(rank, axis) == 0; });
}

}  // namespace npunet::generators

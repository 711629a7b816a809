// From axes to points: the product, cut down by an expression, then by a random sample.
#pragma once

#include <cstdint>
#include <optional>

#include "study/sweep/design_space.h"
#include "study/sweep/expression.h"

namespace npunet::study {

struct Selection {
    std::optional<Expression> where;  ///< its names are parameters that are numbers, or npus
    std::optional<std::uint64_t> sample_count;
    std::uint64_t seed = 0;
};

/// Sets the points of a space whose axes are complete. Throws InputError for more than 10 million
/// combinations, more than a million points, no point at all, and for what the expression throws
/// (then with the combination). `npus` is the number of NPUs of the point's network.
void select_points(DesignSpace& space, const Selection& selection);

}  // namespace npunet::study

#include "generators/transformer/plan_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace npunet::generators {

namespace {

/// By the value of GridAxis.
constexpr std::array<const char*, grid_axes> names{"tp", "cp", "ep", "dp", "pp"};

}  // namespace

RankOrder rank_order_named(const std::string& text, const std::string& source) {
    RankOrder order{};
    std::array<bool, grid_axes> seen{};
    std::size_t start = 0;
    for (std::size_t i = 0; i < grid_axes; ++i) {
        const std::size_t end = i + 1 < grid_axes ? text.find('-', start) : text.size();
        const std::string word =
            end == std::string::npos ? text.substr(start) : text.substr(start, end - start);
        const auto axis =
            static_cast<std::size_t>(std::find(names.begin(), names.end(), word) - names.begin());
        if (axis == grid_axes || seen[axis] || end == std::string::npos) {
            throw InputError(
                {source, "", fmt::format("'{}'", text),
                 "each of tp, cp, ep, dp and pp once, the fastest first, joined by '-'",
                 "For example tp-cp-ep-dp-pp"});
        }
        seen[axis] = true;
        order[i] = static_cast<GridAxis>(axis);
        start = end + 1;
    }
    return order;
}

std::string rank_order_name(const RankOrder& order) {
    std::string text;
    for (const GridAxis axis : order) {
        if (!text.empty()) {
            text += '-';
        }
        text += names[static_cast<std::size_t>(axis)];
    }
    return text;
}

std::int64_t rank_order_number(const RankOrder& order) {
    std::int64_t number = 0;
    for (const GridAxis axis : order) {
        number = number * static_cast<std::int64_t>(grid_axes) + static_cast<std::int64_t>(axis);
    }
    return number;
}

RankOrder rank_order_of(std::int64_t number) {
    RankOrder order{};
    for (std::size_t i = grid_axes; i > 0; --i) {
        order[i - 1] = static_cast<GridAxis>(number % static_cast<std::int64_t>(grid_axes));
        number /= static_cast<std::int64_t>(grid_axes);
    }
    return order;
}

}  // namespace npunet::generators

#include "topology/routing.h"

#include <algorithm>
#include <cstdint>

#include "topology/line.h"

namespace npunet::topology {

std::vector<Hop> dimension_order_route(const std::vector<Dimension>& dimensions, NodeId from,
                                       NodeId to) {
    std::int64_t npus = 1;
    for (const Dimension& dimension : dimensions) {
        npus *= dimension.size;
    }
    std::vector<Hop> hops;
    std::int64_t first_link = 0;
    std::int64_t stride = 1;
    std::int64_t at = from.value();
    for (const Dimension& dimension : dimensions) {
        const std::int64_t size = dimension.size;
        const std::int64_t here = at / stride % size;
        const std::int64_t there = to.value() / stride % size;
        const std::int64_t line_number = at / (stride * size) * stride + at % stride;
        visit_line(dimension, [&](const auto& line) {
            line.route(static_cast<std::int32_t>(here), static_cast<std::int32_t>(there),
                       first_link + line_number * line.links(), hops);
            first_link += npus / size * line.links();
        });
        at += (there - here) * stride;
        stride *= size;
    }
    return hops;
}

std::uint8_t dimension_order_channels(const std::vector<Dimension>& dimensions) {
    std::uint8_t needed = 1;
    for (const Dimension& dimension : dimensions) {
        needed = std::max(needed, visit_line(dimension, [](const auto& line) {
                              return line.virtual_channels_needed();
                          }));
    }
    return needed;
}

}  // namespace npunet::topology

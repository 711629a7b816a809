#include "topology/network_description.h"

#include <cassert>

#include "topology/routing.h"

namespace npunet::topology {

std::vector<Hop> NetworkDescription::route(NodeId from, NodeId to) const {
    assert(from.index() < graph.npus() && to.index() < graph.npus());
    return dimension_order_route(dimensions, from, to);
}

std::uint8_t NetworkDescription::virtual_channels_needed() const {
    return dimension_order_channels(dimensions);
}

std::int32_t NetworkDescription::coordinate(NodeId npu, std::size_t dimension) const {
    std::int32_t rest = npu.value();
    for (std::size_t lower = 0; lower < dimension; ++lower) {
        rest /= dimensions[lower].size;
    }
    return rest % dimensions[dimension].size;
}

}  // namespace npunet::topology

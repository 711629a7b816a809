#include "topology/placement.h"

#include <cstdint>

namespace npunet::topology {

std::vector<NodeId> linear_placement(std::size_t npus) {
    std::vector<NodeId> placement;
    placement.reserve(npus);
    for (std::size_t i = 0; i < npus; ++i) {
        placement.emplace_back(i);
    }
    return placement;
}

std::vector<NodeId> snake_placement(const std::vector<Dimension>& dimensions) {
    std::int64_t npus = 1;
    for (const Dimension& dimension : dimensions) {
        npus *= dimension.size;
    }
    std::vector<NodeId> placement;
    placement.reserve(static_cast<std::size_t>(npus));
    for (std::int64_t rank = 0; rank < npus; ++rank) {
        std::int64_t npu = 0;
        std::int64_t stride = 1;
        for (const Dimension& dimension : dimensions) {
            const std::int64_t digit = rank / stride % dimension.size;
            const std::int64_t pass = rank / stride / dimension.size;
            npu += stride * (pass % 2 == 0 ? digit : dimension.size - 1 - digit);
            stride *= dimension.size;
        }
        placement.emplace_back(static_cast<std::int32_t>(npu));
    }
    return placement;
}

}  // namespace npunet::topology

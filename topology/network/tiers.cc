#include "topology/network/tiers.h"

#include <cassert>

namespace npunet::topology {

std::vector<Tier> tiers_of_blocks(
    std::int64_t npus, const std::vector<std::pair<std::string, std::int64_t>>& block_sizes) {
    std::vector<Tier> tiers;
    for (const auto& [name, size] : block_sizes) {
        Tier tier{name, {}};
        tier.block_of_npu.reserve(static_cast<std::size_t>(npus));
        for (std::int64_t npu = 0; npu < npus; ++npu) {
            tier.block_of_npu.push_back(static_cast<std::int32_t>(npu / size));
        }
        tiers.push_back(std::move(tier));
    }
    assert(tiers.empty() || tiers.back().block_of_npu.empty() ||
           tiers.back().block_of_npu.back() == 0);
    return tiers;
}

}  // namespace npunet::topology

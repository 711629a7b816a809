#include "engine/collective/communicator_layout.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace npunet::engine {

namespace {

using topology::NetworkDescription;

/// Members that the tiers so far have put together, in an order in which the same places of two of
/// them face each other.
using Unit = std::vector<std::int32_t>;

bool fills_all_dimensions(const NetworkDescription& network, const std::vector<Rank>& ranks) {
    std::size_t grid = 1;
    for (std::size_t d = 0; d < network.dimensions.size(); ++d) {
        std::set<std::int32_t> coordinates;
        for (const Rank rank : ranks) {
            coordinates.insert(network.coordinate(network.npu_of_rank[rank.index()], d));
        }
        const auto size = static_cast<std::size_t>(network.dimensions[d].size);
        if (coordinates.size() != 1 && coordinates.size() != size) {
            return false;
        }
        grid *= coordinates.size();
    }
    // Distinct ranks within the grid spanned by their coordinates: as many as the grid has places.
    return !network.dimensions.empty() && grid == ranks.size();
}

/// The units of each block, blocks and units by their first members.
std::vector<std::vector<Unit>> by_block(std::vector<Unit> units, const topology::Tier& tier,
                                        const std::vector<NodeId>& npus) {
    std::vector<std::vector<Unit>> blocks;
    std::vector<std::int32_t> place(tier.block_of_npu.empty()
                                        ? 0
                                        : static_cast<std::size_t>(*std::max_element(
                                              tier.block_of_npu.begin(), tier.block_of_npu.end())) +
                                              1,
                                    -1);
    for (Unit& unit : units) {
        const NodeId npu = npus[static_cast<std::size_t>(unit.front())];
        std::int32_t& number = place[static_cast<std::size_t>(tier.block_of_npu[npu.index()])];
        if (number < 0) {
            number = static_cast<std::int32_t>(blocks.size());
            blocks.emplace_back();
        }
        blocks[static_cast<std::size_t>(number)].push_back(std::move(unit));
    }
    return blocks;
}

/// Every unit of the tier is whole in one block.
bool are_alike(const std::vector<std::vector<Unit>>& blocks) {
    return std::all_of(blocks.begin(), blocks.end(), [&](const std::vector<Unit>& block) {
        return block.size() == blocks.front().size();
    });
}

LayoutFactor factor_of(std::size_t tier, const std::vector<std::vector<Unit>>& blocks,
                       const std::vector<Rank>& ranks) {
    LayoutFactor factor;
    factor.tier = tier;
    factor.size = static_cast<std::int32_t>(blocks.front().size());
    factor.line_of_member.resize(ranks.size());
    factor.place_of_member.resize(ranks.size());
    for (const std::vector<Unit>& block : blocks) {
        for (std::size_t i = 0; i < block.front().size(); ++i) {
            std::vector<Rank> line;
            for (const Unit& unit : block) {
                const auto member = static_cast<std::size_t>(unit[i]);
                factor.line_of_member[member] = static_cast<std::int32_t>(factor.lines.size());
                factor.place_of_member[member] = static_cast<std::int32_t>(line.size());
                line.push_back(ranks[member]);
            }
            factor.lines.push_back(std::move(line));
        }
    }
    return factor;
}

/// All members as one line, in the communicator's order.
LayoutFactor whole_line(const std::vector<Rank>& ranks) {
    std::vector<Unit> units;
    for (std::size_t member = 0; member < ranks.size(); ++member) {
        units.push_back({static_cast<std::int32_t>(member)});
    }
    return factor_of(0, {units}, ranks);
}

}  // namespace

CommunicatorLayout::CommunicatorLayout(const NetworkDescription& network,
                                       const std::vector<Rank>& ranks)
    : fills_dimensions_(fills_all_dimensions(network, ranks)) {
    find_factors(network, ranks);
    if (factors_.size() < 2 && !fills_dimensions_) {
        const std::size_t tier = factors_.empty() ? 0 : factors_.front().tier;
        factors_ = {whole_line(ranks)};
        factors_.front().tier = tier;
    }
    if (fills_dimensions_) {
        find_hamiltonian_ring(network, ranks);
    }
}

void CommunicatorLayout::find_factors(const NetworkDescription& network,
                                      const std::vector<Rank>& ranks) {
    std::vector<NodeId> npus;
    for (const Rank rank : ranks) {
        npus.push_back(network.npu_of_rank[rank.index()]);
    }
    Unit by_npu(ranks.size());
    std::iota(by_npu.begin(), by_npu.end(), 0);
    std::sort(by_npu.begin(), by_npu.end(), [&](std::int32_t a, std::int32_t b) {
        return npus[static_cast<std::size_t>(a)] < npus[static_cast<std::size_t>(b)];
    });
    std::vector<Unit> units;
    for (const std::int32_t member : by_npu) {
        units.push_back({member});
    }
    for (std::size_t tier = 0; tier < network.tiers.size() && units.size() > 1; ++tier) {
        std::vector<std::vector<Unit>> blocks = by_block(units, network.tiers[tier], npus);
        if (!are_alike(blocks) || blocks.front().size() == 1) {
            continue;
        }
        factors_.push_back(factor_of(tier, blocks, ranks));
        units.clear();
        for (const std::vector<Unit>& block : blocks) {
            Unit joined;
            for (const Unit& unit : block) {
                joined.insert(joined.end(), unit.begin(), unit.end());
            }
            units.push_back(std::move(joined));
        }
    }
}

void CommunicatorLayout::find_hamiltonian_ring(const NetworkDescription& network,
                                               const std::vector<Rank>& ranks) {
    const auto is_mesh = [&](const LayoutFactor& factor) {
        return network.dimensions[factor.tier].kind == topology::DimensionKind::Mesh1D;
    };
    if (factors_.size() != 2 || !is_mesh(factors_[0]) || !is_mesh(factors_[1])) {
        return;
    }
    std::size_t across = factors_[0].tier;  // rows are walked along this one ...
    std::size_t even = factors_[1].tier;    // ... and there is an even number of them
    if (network.dimensions[even].size % 2 != 0) {
        std::swap(across, even);
    }
    if (network.dimensions[even].size % 2 != 0) {
        return;  // an odd number of NPUs: a mesh has no closed path through all of them
    }
    // Up and down the rows in all columns but the first, and home through the first.
    const std::int32_t width = network.dimensions[across].size;
    const std::int32_t rows = network.dimensions[even].size;
    const auto place = [&](Rank rank) {
        const NodeId npu = network.npu_of_rank[rank.index()];
        const std::int32_t row = network.coordinate(npu, even);
        const std::int32_t column = network.coordinate(npu, across);
        if (column == 0) {
            return rows * (width - 1) + rows - 1 - row;
        }
        return row * (width - 1) + (row % 2 == 0 ? column - 1 : width - 1 - column);
    };
    hamiltonian_ring_.resize(ranks.size());
    for (const Rank rank : ranks) {
        hamiltonian_ring_[static_cast<std::size_t>(place(rank))] = rank;
    }
}

}  // namespace npunet::engine

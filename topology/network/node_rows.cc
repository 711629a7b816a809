#include "topology/network/node_rows.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace npunet::topology {

namespace {

/// Steps between neighbours of different blocks, beyond the one between all neighbours: per tier.
constexpr double gap_between_blocks = 0.7;
constexpr double least_apart = 0.5;

/// How many links every node is away from the nearest NPU.
std::vector<std::size_t> distances_from_npus(const Graph& graph) {
    std::vector<std::size_t> distance(graph.nodes(), 0);
    std::vector<bool> reached(graph.nodes(), false);
    std::deque<NodeId> next;
    for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
        reached[npu] = true;
        next.emplace_back(npu);
    }
    while (!next.empty()) {
        const NodeId node = next.front();
        next.pop_front();
        for (const LinkId link : graph.links_from(node)) {
            const NodeId to = graph.link(link).to;
            if (!reached[to.index()]) {
                reached[to.index()] = true;
                distance[to.index()] = distance[node.index()] + 1;
                next.push_back(to);
            }
        }
    }
    return distance;
}

std::size_t blocks_of(const Tier& tier) {
    return std::set<std::int32_t>(tier.block_of_npu.begin(), tier.block_of_npu.end()).size();
}

struct Extent {
    double left = 0;
    double right = 0;
};

}  // namespace

NodeRows::NodeRows(const NetworkDescription& network) {
    find_tiers(network);
    const std::vector<std::size_t> distance = distances_from_npus(network.graph);
    find_homes(network.graph, distance);
    find_rows(network.graph, distance);
}

void NodeRows::find_tiers(const NetworkDescription& network) {
    std::size_t finest = network.graph.npus();
    for (const Tier& tier : network.tiers) {
        const std::size_t blocks = blocks_of(tier);
        if (blocks > 1 && blocks < finest) {
            tiers_.push_back(tier);
            finest = blocks;
        }
    }
    tiers_.push_back({"all", std::vector<std::int32_t>(network.graph.npus(), 0)});
}

void NodeRows::find_homes(const Graph& graph, const std::vector<std::size_t>& distance) {
    constexpr std::int32_t unknown = -1;
    constexpr std::int32_t several = -2;
    home_.assign(graph.nodes(), outermost());
    std::vector<NodeId> switches;
    for (std::size_t node = graph.npus(); node < graph.nodes(); ++node) {
        switches.emplace_back(node);
    }
    std::stable_sort(switches.begin(), switches.end(),
                     [&](NodeId a, NodeId b) { return distance[a.index()] < distance[b.index()]; });
    // From the outside to the inside, so that the innermost tier has the last word.
    for (std::int32_t tier = outermost().tier; tier >= 0; --tier) {
        std::vector<std::int32_t> block(graph.nodes(), unknown);
        for (std::size_t npu = 0; npu < graph.npus(); ++npu) {
            block[npu] = block_of(NodeId(npu), tier);
            home_[npu] = {tier, block[npu]};
        }
        for (const NodeId node : switches) {
            std::int32_t& own = block[node.index()];
            for (const LinkId link : graph.links_from(node)) {
                const std::size_t to = graph.link(link).to.index();
                if (distance[to] < distance[node.index()]) {
                    own = own == unknown || own == block[to] ? block[to] : several;
                }
            }
            if (own >= 0) {
                home_[node.index()] = {tier, own};
            }
        }
    }
}

void NodeRows::find_rows(const Graph& graph, const std::vector<std::size_t>& distance) {
    std::map<std::pair<std::int32_t, std::size_t>, std::size_t> rows;
    for (std::size_t node = graph.npus(); node < graph.nodes(); ++node) {
        rows.emplace(std::pair(home_[node].tier, distance[node]), 0);
    }
    for (auto& [place, row] : rows) {
        row = rows_++;
    }
    row_.assign(graph.nodes(), 0);
    for (std::size_t node = graph.npus(); node < graph.nodes(); ++node) {
        row_[node] = rows.at({home_[node].tier, distance[node]});
    }
}

std::vector<NodeId> NodeRows::npus_in_order() const {
    std::vector<NodeId> npus;
    for (std::size_t npu = 0; npu < tiers_.front().block_of_npu.size(); ++npu) {
        npus.emplace_back(npu);
    }
    for (const Tier& tier : tiers_) {
        std::stable_sort(npus.begin(), npus.end(), [&](NodeId a, NodeId b) {
            return tier.block_of_npu[a.index()] < tier.block_of_npu[b.index()];
        });
    }
    return npus;
}

std::vector<double> places_in_rows(const NodeRows& rows, const std::vector<RowItem>& items) {
    std::vector<double> places(items.size(), 0);
    std::map<Block, Extent> extents;
    std::map<std::pair<Block, std::size_t>, std::size_t> counts;
    const RowItem* before = nullptr;
    double next = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const RowItem& item = items[i];
        if (item.row > 0) {
            ++counts[{item.home, item.row}];
            continue;
        }
        next += before == nullptr ? 0 : 1;
        for (std::int32_t tier = 0; tier <= rows.outermost().tier; ++tier) {
            const std::int32_t block = rows.block_of(item.npu, tier);
            if (before != nullptr && rows.block_of(before->npu, tier) != block) {
                next += gap_between_blocks;
            }
        }
        for (std::int32_t tier = 0; tier <= rows.outermost().tier; ++tier) {
            const Block block{tier, rows.block_of(item.npu, tier)};
            extents.emplace(block, Extent{next, next}).first->second.right = next;
        }
        places[i] = next;
        before = &item;
    }
    double stretch = 1;
    for (const auto& [place, count] : counts) {
        const Extent& extent = extents[place.first];
        stretch = std::max(
            stretch, least_apart * static_cast<double>(count) / (extent.right - extent.left + 1));
    }
    std::map<std::pair<Block, std::size_t>, std::size_t> placed;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const RowItem& item = items[i];
        if (item.row > 0) {
            const Extent& extent = extents[item.home];
            const double part = (static_cast<double>(placed[{item.home, item.row}]++) + 0.5) /
                                static_cast<double>(counts[{item.home, item.row}]);
            places[i] = extent.left - 0.5 + part * (extent.right - extent.left + 1);
        }
        places[i] *= stretch;
    }
    const double left = places.empty() ? 0 : *std::min_element(places.begin(), places.end());
    for (double& place : places) {
        place -= left;
    }
    return places;
}

}  // namespace npunet::topology

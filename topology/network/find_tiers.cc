#include "topology/network/find_tiers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "topology/graph/clusters.h"
#include "topology/graph/dimensions_of.h"
#include "topology/graph/neighbours.h"
#include "topology/graph/router_groups.h"
#include "topology/network/block_clusters.h"
#include "topology/network/npu_blocks.h"

namespace npunet::topology {

namespace {

/// By block, the rate of its fastest link to another node outside.
std::vector<std::int64_t> fastest_links(const NpuBlocks& blocks) {
    std::vector<std::int64_t> fastest(blocks.count(), 0);
    for (std::int32_t node = 0; node < blocks.nodes(); ++node) {
        const std::int32_t block = blocks.block_of(node);
        for (const Neighbour& next : blocks.neighbours_of(node)) {
            if (block != NpuBlocks::none && blocks.block_of(next.node) != block) {
                std::int64_t& most = fastest[static_cast<std::size_t>(block)];
                most = std::max(most, next.rate);
            }
        }
    }
    return fastest;
}

/// Whether the clusters that NPUs join are whole ones of equally many consecutive NPUs, not of all.
bool are_consecutive(const std::vector<std::int32_t>& joined,
                     const std::vector<Cluster>& clusters) {
    const auto members_at = [&](std::size_t npu) -> const std::vector<std::int32_t>& {
        return clusters[static_cast<std::size_t>(joined[npu])].members;
    };
    const bool all_join = std::find(joined.begin(), joined.end(), NpuBlocks::none) == joined.end();
    const std::size_t size = all_join ? members_at(0).size() : joined.size();
    for (std::size_t npu = 0; npu < joined.size() && size < joined.size(); ++npu) {
        const std::size_t first = npu / size * size;
        if (members_at(npu).size() != size || joined[npu] != joined[first] ||
            static_cast<std::size_t>(members_at(npu).front()) != first) {
            return false;
        }
    }
    return size < joined.size();
}

/// The blocks after joining: those that join the same cluster, numbered by their lowest NPUs.
NpuBlocks joined_blocks(NpuBlocks blocks, const std::vector<std::int32_t>& joined,
                        std::size_t clusters) {
    std::vector<std::int32_t> number_of_cluster(clusters, NpuBlocks::none);
    std::vector<std::int32_t> number_of_block(joined.size(), NpuBlocks::none);
    std::int32_t count = 0;
    for (const std::int32_t block : blocks.by_npu()) {
        const auto place = static_cast<std::size_t>(block);
        std::int32_t& number = joined[place] == NpuBlocks::none
                                   ? number_of_block[place]
                                   : number_of_cluster[static_cast<std::size_t>(joined[place])];
        number = number == NpuBlocks::none ? count++ : number;
        number_of_block[place] = number;
    }
    blocks.join(number_of_block, static_cast<std::size_t>(count));
    return blocks;
}

/// By NPU, the servers of a rail network whose NPUs are numbered in the usual order: clusters of
/// equally many consecutive NPUs out of which no switches lead, joined by rails. Else empty.
std::vector<std::int32_t> servers_in_order(const NpuBlocks& npus,
                                           const std::vector<Cluster>& clusters) {
    std::vector<Cluster> runs = clusters;
    for (Cluster& cluster : runs) {
        const auto span =
            static_cast<std::size_t>(cluster.members.back() - cluster.members.front()) + 1;
        if (cluster.leads_on || span != cluster.members.size()) {
            cluster = Cluster();
        }
    }
    std::vector<std::int32_t> joined = preferred_clusters(npus.count(), runs);
    const bool found = are_consecutive(joined, runs) &&
                       are_joined_by_rails(joined_blocks(npus, joined, runs.size()));
    return found ? joined : std::vector<std::int32_t>();
}

/// By block, the cluster that it joins or none.
std::vector<std::int32_t> joined_clusters(const NpuBlocks& blocks,
                                          const std::vector<Cluster>& clusters) {
    if (blocks.are_single_npus()) {
        std::vector<std::int32_t> servers = servers_in_order(blocks, clusters);
        if (!servers.empty()) {
            return servers;
        }
    }
    std::vector<std::int32_t> joined = preferred_clusters(blocks.count(), clusters);
    const std::vector<std::int64_t> fastest = fastest_links(blocks);
    for (std::size_t block = 0; block < joined.size(); ++block) {
        if (joined[block] != NpuBlocks::none) {
            const Cluster& cluster = clusters[static_cast<std::size_t>(joined[block])];
            const auto member = std::lower_bound(cluster.members.begin(), cluster.members.end(),
                                                 static_cast<std::int32_t>(block));
            const Reach& reach =
                cluster.reach[static_cast<std::size_t>(member - cluster.members.begin())];
            joined[block] = reach.rate < fastest[block] ? NpuBlocks::none : joined[block];
        }
    }
    return joined;
}

/// Whether two thirds of the blocks or more join a cluster that another one joins as well.
bool most_are_joined(const std::vector<std::int32_t>& joined, std::size_t clusters) {
    std::vector<std::size_t> members(clusters, 0);
    for (const std::int32_t cluster : joined) {
        if (cluster != NpuBlocks::none) {
            ++members[static_cast<std::size_t>(cluster)];
        }
    }
    std::size_t together = 0;
    for (const std::size_t count : members) {
        together += count > 1 ? count : 0;
    }
    return 3 * together >= 2 * joined.size();
}

/// Whether most NPUs have links out of their block that they share with no other NPU of it.
bool npus_reach_outside(const NpuBlocks& blocks) {
    std::vector<bool> reach(blocks.npus(), false);
    for (std::int32_t node = 0; node < blocks.nodes(); ++node) {
        for (const Neighbour& next : blocks.neighbours_of(node)) {
            if (blocks.npu_of(node) != NpuBlocks::none &&
                blocks.block_of(next.node) != blocks.block_of(node)) {
                reach[static_cast<std::size_t>(blocks.npu_of(node))] = true;
            }
        }
    }
    return 2 * std::count(reach.begin(), reach.end(), true) >
           static_cast<std::ptrdiff_t>(blocks.npus());
}

/// A name, which none of the tiers before has, for blocks of which the first is of that kind.
std::string name_of_blocks(const NpuBlocks& blocks, const std::string& kind,
                           const std::vector<Tier>& before) {
    if (blocks.count() == 1) {
        return "all";
    }
    const std::string name = kind == "leaf" && npus_reach_outside(blocks) ? "server" : kind;
    const auto same = std::count_if(before.begin(), before.end(), [&](const Tier& tier) {
        return tier.name.rfind(name, 0) == 0;
    });
    return same == 0 ? name : name + std::to_string(same + 1);
}

/// Of the first cluster that blocks join.
std::string kind_of_blocks(const std::vector<std::int32_t>& joined,
                           const std::vector<Cluster>& clusters) {
    const auto first = std::find_if(joined.begin(), joined.end(),
                                    [](std::int32_t number) { return number != NpuBlocks::none; });
    return first == joined.end() ? "" : clusters[static_cast<std::size_t>(*first)].kind;
}

std::vector<Tier> tiers_from_inside(NpuBlocks blocks) {
    std::vector<Tier> tiers;
    while (blocks.count() > 1) {
        const std::vector<Cluster> clusters = clusters_of_blocks(blocks);
        const std::vector<std::int32_t> joined = joined_clusters(blocks, clusters);
        if (!most_are_joined(joined, clusters.size())) {
            break;
        }
        blocks = joined_blocks(std::move(blocks), joined, clusters.size());
        const std::string kind = kind_of_blocks(joined, clusters);
        tiers.push_back({name_of_blocks(blocks, kind, tiers), blocks.by_npu()});
    }
    if (!tiers.empty() && blocks.count() > 1) {
        tiers.push_back({"all", std::vector<std::int32_t>(blocks.npus(), 0)});
    }
    return tiers;
}

}  // namespace

std::vector<Tier> find_tiers(const Graph& graph) {
    const auto npus = static_cast<std::int64_t>(graph.npus());
    if (npus == 1) {
        return tiers_of_blocks(1, {{"all", 1}});
    }
    const Neighbours neighbours = neighbours_of(graph);
    const std::vector<Dimension> dimensions = dimensions_of(graph, neighbours);
    if (dimensions.empty()) {
        const std::int64_t group = npus_of_router_group(graph, neighbours);
        return group > 0 ? tiers_of_blocks(npus, {{"group", group}, {"all", npus}})
                         : tiers_from_inside(NpuBlocks(graph, neighbours));
    }
    std::vector<std::pair<std::string, std::int64_t>> blocks;
    std::int64_t stride = 1;
    for (const Dimension& dimension : dimensions) {
        stride *= dimension.size;
        blocks.emplace_back(name_of(dimension.kind), stride);
    }
    return tiers_of_blocks(npus, blocks);
}

}  // namespace npunet::topology

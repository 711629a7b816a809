#include "topology/network/block_clusters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

namespace npunet::topology {

namespace {

/// The blocks that these links lead to; from one to another two links: in and out.
Cluster star_of(std::vector<Neighbour>& links, const char* kind) {
    merge_neighbours(links);
    Cluster star{kind, {}, {}, false};
    for (const Neighbour& each : links) {
        star.members.push_back(each.node);
        star.reach.push_back({each.rate, capped_rate_sum(each.latency, each.latency)});
    }
    return star;
}

/// The switches above two or more blocks, and what is below them.
class SwitchClusters {
public:
    explicit SwitchClusters(const NpuBlocks& blocks) : blocks_(blocks) {
        for (const std::int32_t node : blocks.switches()) {
            if (blocks.block_of(node) == NpuBlocks::none &&
                blocks.all_below(node, [&](std::int32_t lower) {
                    return blocks.block_of(lower) != NpuBlocks::none;
                })) {
                open_.push_back(node);
            }
        }
        links_ = links_among_switches();
    }

    /// Of the blocks below each switch, those that count as one switch together.
    [[nodiscard]] std::vector<Cluster> find() const {
        const std::vector<std::size_t> unit_of = units();
        std::vector<std::vector<Neighbour>> below(open_.size());
        std::vector<bool> is_group(open_.size(), false);
        std::vector<bool> leads_on(open_.size(), false);
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const std::size_t unit = unit_of[i];
            is_group[unit] = is_group[unit] || unit != i;
            for (const Neighbour& next : blocks_.neighbours_of(open_[i])) {
                if (blocks_.is_below(next.node, open_[i])) {
                    below[unit].push_back({blocks_.block_of(next.node), next.rate, next.latency});
                } else if (blocks_.is_below(open_[i], next.node)) {
                    leads_on[unit] = true;
                }
            }
        }
        std::vector<Cluster> clusters;
        for (std::size_t unit = 0; unit < below.size(); ++unit) {
            if (!below[unit].empty()) {
                const char* const single = blocks_.are_single_npus() ? "leaf" : "pod";
                clusters.push_back(star_of(below[unit], is_group[unit] ? "group" : single));
                clusters.back().leads_on = leads_on[unit];
            }
        }
        return clusters;
    }

private:
    /// Those between switches of the same level; switches by their indices in `open_`.
    [[nodiscard]] Neighbours links_among_switches() const {
        std::vector<std::int32_t> index_of(static_cast<std::size_t>(blocks_.nodes()),
                                           NpuBlocks::none);
        for (std::size_t i = 0; i < open_.size(); ++i) {
            index_of[static_cast<std::size_t>(open_[i])] = static_cast<std::int32_t>(i);
        }
        Neighbours links(open_.size());
        for (std::size_t i = 0; i < open_.size(); ++i) {
            for (const Neighbour& next : blocks_.neighbours_of(open_[i])) {
                const std::int32_t other = index_of[static_cast<std::size_t>(next.node)];
                if (other != NpuBlocks::none &&
                    blocks_.level_of(next.node) == blocks_.level_of(open_[i])) {
                    links[i].push_back({other, next.rate, next.latency});
                }
            }
            merge_neighbours(links[i]);
        }
        return links;
    }

    /// By switch the first one of its group of pairwise linked ones, or itself. Where all would be
    /// one group, the blocks below each are told apart.
    [[nodiscard]] std::vector<std::size_t> units() const {
        std::vector<Cluster> cliques;
        add_cliques(links_, "group", cliques);
        const std::vector<std::int32_t> chosen = preferred_clusters(open_.size(), cliques);
        std::vector<std::vector<std::int32_t>> groups(cliques.size());
        for (std::size_t i = 0; i < open_.size(); ++i) {
            if (chosen[i] >= 0) {
                groups[static_cast<std::size_t>(chosen[i])].push_back(static_cast<std::int32_t>(i));
            }
        }
        std::vector<std::size_t> unit_of(open_.size());
        std::iota(unit_of.begin(), unit_of.end(), std::size_t{0});
        for (const auto& group : groups) {
            if (group.size() < open_.size() && carries_its_traffic(group)) {
                for (const std::int32_t i : group) {
                    unit_of[static_cast<std::size_t>(i)] = static_cast<std::size_t>(group.front());
                }
            }
        }
        return unit_of;
    }

    /// Of what the nodes below a switch send evenly to all below a group of k switches, (k - 1) / k
    /// leaves the switch: no more than its links within the group carry, for every one of them.
    [[nodiscard]] bool carries_its_traffic(const std::vector<std::int32_t>& group) const {
        const auto size = static_cast<double>(group.size());
        return std::all_of(group.begin(), group.end(), [&](std::int32_t member) {
            const auto i = static_cast<std::size_t>(member);
            double below = 0;
            double inside = 0;
            for (const Neighbour& next : blocks_.neighbours_of(open_[i])) {
                if (blocks_.is_below(next.node, open_[i])) {
                    below += static_cast<double>(next.rate);
                }
            }
            for (const Neighbour& next : links_[i]) {
                if (std::binary_search(group.begin(), group.end(), next.node)) {
                    inside += static_cast<double>(next.rate);
                }
            }
            return below * (size - 1) <= inside * size;
        });
    }

    const NpuBlocks& blocks_;
    std::vector<std::int32_t> open_;
    Neighbours links_;
};

/// A connected network of switches that belong to no block.
struct SwitchPlane {
    /// The block of each node linked with it, and the NPU through which that is reached or none;
    /// in ascending order.
    std::vector<std::pair<std::int32_t, std::int32_t>> ports;
    std::vector<Neighbour> links;  ///< to the blocks
};

std::vector<SwitchPlane> switch_planes(const NpuBlocks& blocks) {
    std::vector<SwitchPlane> planes;
    std::vector<bool> met(static_cast<std::size_t>(blocks.nodes()), false);
    for (const std::int32_t first : blocks.switches()) {
        if (blocks.block_of(first) != NpuBlocks::none || met[static_cast<std::size_t>(first)]) {
            continue;
        }
        SwitchPlane plane;
        std::vector<std::int32_t> open{first};
        met[static_cast<std::size_t>(first)] = true;
        for (std::size_t i = 0; i < open.size(); ++i) {
            for (const Neighbour& next : blocks.neighbours_of(open[i])) {
                const std::int32_t block = blocks.block_of(next.node);
                if (block != NpuBlocks::none) {
                    plane.ports.emplace_back(block, blocks.npu_of(next.node));
                    plane.links.push_back({block, next.rate, next.latency});
                } else if (!met[static_cast<std::size_t>(next.node)]) {
                    met[static_cast<std::size_t>(next.node)] = true;
                    open.push_back(next.node);
                }
            }
        }
        std::sort(plane.ports.begin(), plane.ports.end());
        plane.ports.erase(std::unique(plane.ports.begin(), plane.ports.end()), plane.ports.end());
        planes.push_back(std::move(plane));
    }
    return planes;
}

/// Whether a plane reaches more than half of the blocks, each through one NPU.
bool may_be_rail(const SwitchPlane& plane, const NpuBlocks& blocks) {
    for (std::size_t i = 0; i < plane.ports.size(); ++i) {
        const auto& [block, npu] = plane.ports[i];
        if (npu == NpuBlocks::none || (i > 0 && plane.ports[i - 1].first == block)) {
            return false;
        }
    }
    return 2 * plane.ports.size() > blocks.count();
}

/// The blocks that rails join, if all planes are rails: more than half of the blocks have several
/// NPUs at them.
std::optional<Cluster> cluster_of_rails(const NpuBlocks& blocks) {
    std::vector<std::pair<std::int32_t, std::int32_t>> ports;
    std::vector<Neighbour> links;
    for (const SwitchPlane& plane : switch_planes(blocks)) {
        if (!may_be_rail(plane, blocks)) {
            return std::nullopt;
        }
        ports.insert(ports.end(), plane.ports.begin(), plane.ports.end());
        links.insert(links.end(), plane.links.begin(), plane.links.end());
    }
    std::sort(ports.begin(), ports.end());
    ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
    std::size_t with_several = 0;
    for (std::size_t begin = 0, end = 0; begin < ports.size(); begin = end) {
        while (end < ports.size() && ports[end].first == ports[begin].first) {
            ++end;
        }
        with_several += end - begin > 1 ? 1 : 0;
    }
    if (2 * with_several <= blocks.count()) {
        return std::nullopt;
    }
    return star_of(links, "rail");
}

Neighbours links_among_blocks(const NpuBlocks& blocks) {
    Neighbours links(blocks.count());
    for (std::int32_t node = 0; node < blocks.nodes(); ++node) {
        const std::int32_t own = blocks.block_of(node);
        for (const Neighbour& next : blocks.neighbours_of(node)) {
            const std::int32_t other = blocks.block_of(next.node);
            if (own != NpuBlocks::none && other != NpuBlocks::none && own != other) {
                links[static_cast<std::size_t>(own)].push_back({other, next.rate, next.latency});
            }
        }
    }
    for (auto& list : links) {
        merge_neighbours(list);
    }
    return links;
}

}  // namespace

std::vector<Cluster> clusters_of_blocks(const NpuBlocks& blocks) {
    std::vector<Cluster> clusters;
    if (auto rails = cluster_of_rails(blocks)) {
        clusters.push_back(std::move(*rails));
    } else {
        clusters = SwitchClusters(blocks).find();
    }
    add_cliques(links_among_blocks(blocks), blocks.are_single_npus() ? "server" : "group",
                clusters);
    merge_clusters(clusters);
    return clusters;
}

bool are_joined_by_rails(const NpuBlocks& blocks) {
    return cluster_of_rails(blocks).has_value();
}

}  // namespace npunet::topology

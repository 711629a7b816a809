#include "topology/network/node_groups.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "topology/network/link_kinds.h"

namespace npunet::topology {

namespace {

/// "rail3-leaf12" without its last number: "rail3-leaf".
std::string without_last_number(const std::string& name) {
    const std::size_t end = name.find_last_of("0123456789");
    if (end == std::string::npos) {
        return name;
    }
    const std::size_t before = name.find_last_not_of("0123456789", end);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return name.substr(0, begin) + name.substr(end + 1);
}

using Lists = std::vector<std::vector<NodeId>>;

/// Nodes whose names differ in their last number only, in the order of their first ones.
Lists alike(const std::vector<NodeId>& nodes, const Graph& graph) {
    std::map<std::string, std::size_t> known;
    Lists lists;
    for (const NodeId node : nodes) {
        const auto [found, is_new] =
            known.emplace(without_last_number(graph.name(node)), lists.size());
        if (is_new) {
            lists.emplace_back();
        }
        lists[found->second].push_back(node);
    }
    return lists;
}

/// Which of `count` entries are left out for `most` to stay: [first, second).
std::pair<std::size_t, std::size_t> left_out(std::size_t count, std::size_t most) {
    return count <= most ? std::pair(count, count) : std::pair(most - 2, count - 1);
}

}  // namespace

NodeGroups::NodeGroups(const NetworkDescription& network, std::size_t most)
    : network_(network), rows_(network), whole_(network.graph.npus() <= most) {
    group_of_.assign(network.graph.nodes(), none);
    add_npus(rows_.npus_in_order(), rows_.outermost());
    add_all_switches();
    sort_groups();
    bundle_links();
}

std::size_t NodeGroups::add(RowItem item, const std::vector<NodeId>& nodes) {
    NodeGroup group;
    group.item = item;
    group.name = nodes.size() == 1 ? network_.graph.name(nodes.front())
                                   : without_last_number(network_.graph.name(nodes.front()));
    group.nodes = nodes;
    for (const NodeId node : nodes) {
        group_of_[node.index()] = groups_.size();
    }
    groups_.push_back(std::move(group));
    return groups_.size() - 1;
}

/// Of a tier, where each block of a tier with blocks may have as many.
std::size_t NodeGroups::most_blocks() const {
    const std::size_t tiers = rows_.tiers().size();
    return tiers <= 2 ? 8 : tiers == 3 ? 4 : 3;
}

void NodeGroups::add_npus(const std::vector<NodeId>& npus, Block block) {
    const auto home_of = [&](NodeId npu) { return rows_.home(npu); };
    if (whole_) {
        for (const NodeId npu : npus) {
            add({0, home_of(npu), npu}, {npu});
        }
        return;
    }
    if (block.tier == 0 && block.tier < rows_.outermost().tier) {
        add({0, block, npus.front()}, npus);
        return;
    }
    // The blocks of the tier below, or, of a network without any, NPUs.
    Lists parts;
    std::int32_t before = -1;
    for (const NodeId npu : npus) {
        const std::int32_t number =
            block.tier > 0 ? rows_.block_of(npu, block.tier - 1) : npu.value();
        if (parts.empty() || number != before) {
            parts.emplace_back();
        }
        parts.back().push_back(npu);
        before = number;
    }
    const auto [first, last] = left_out(parts.size(), most_blocks());
    for (std::size_t part = 0; part < parts.size(); ++part) {
        if (part == first) {
            leave_out({parts.begin() + static_cast<std::ptrdiff_t>(first),
                       parts.begin() + static_cast<std::ptrdiff_t>(last)},
                      block);
        }
        if (part >= first && part < last) {
            continue;
        }
        const NodeId npu = parts[part].front();
        if (block.tier > 0) {
            add_npus(parts[part], {block.tier - 1, rows_.block_of(npu, block.tier - 1)});
        } else {
            add({0, home_of(npu), npu}, {npu});
        }
    }
}

void NodeGroups::leave_out(const std::vector<std::vector<NodeId>>& blocks, Block of) {
    std::vector<NodeId> npus;
    for (const std::vector<NodeId>& block : blocks) {
        npus.insert(npus.end(), block.begin(), block.end());
    }
    NodeGroup& group = groups_[add({0, of, npus.front()}, npus)];
    group.blocks = blocks.size();
    group.tier = of.tier - 1;
}

void NodeGroups::add_switches(const std::vector<NodeId>& switches, Block home, std::size_t row) {
    const std::size_t most = home == rows_.outermost() ? 8 : 4;
    const RowItem item{row, home, NodeId()};
    if (whole_ ||
        switches.size() <= (home.tier == 0 && home.tier < rows_.outermost().tier ? 1 : most)) {
        for (const NodeId node : switches) {
            add(item, {node});
        }
        return;
    }
    Lists lists = alike(switches, network_.graph);
    if (lists.size() > most || (lists.size() == 1 && home.tier == rows_.outermost().tier)) {
        lists.clear();
        for (const NodeId node : switches) {
            lists.push_back({node});
        }
    }
    const auto [first, last] = left_out(lists.size(), most);
    for (std::size_t i = 0; i < lists.size(); ++i) {
        if (i < first || i >= last) {
            add(item, lists[i]);
        } else if (i == first) {
            std::vector<NodeId> nodes;
            for (std::size_t k = first; k < last; ++k) {
                nodes.insert(nodes.end(), lists[k].begin(), lists[k].end());
            }
            groups_[add(item, nodes)].between = true;
        }
    }
}

void NodeGroups::add_all_switches() {
    std::map<Block, NodeId> first_npu;
    for (std::size_t npu = network_.graph.npus(); npu-- > 0;) {
        for (std::int32_t tier = 0; tier <= rows_.outermost().tier; ++tier) {
            first_npu[{tier, rows_.block_of(NodeId(npu), tier)}] = NodeId(npu);
        }
    }
    std::map<std::pair<Block, std::size_t>, std::vector<NodeId>> places;
    for (std::size_t i = network_.graph.npus(); i < network_.graph.nodes(); ++i) {
        const NodeId node(i);
        const Block home = rows_.home(node);
        const std::size_t group = group_of_[first_npu.at(home).index()];
        if (groups_[group].blocks > 0 && groups_[group].tier >= home.tier) {
            group_of_[i] = group;
            groups_[group].nodes.push_back(node);
        } else {
            places[{home, rows_.row(node)}].push_back(node);
        }
    }
    for (const auto& [place, switches] : places) {
        add_switches(switches, place.first, place.second);
    }
}

/// Rows from below, and what is counted of each group.
void NodeGroups::sort_groups() {
    std::stable_sort(groups_.begin(), groups_.end(), [](const NodeGroup& a, const NodeGroup& b) {
        return a.item.row < b.item.row;
    });
    for (std::size_t number = 0; number < groups_.size(); ++number) {
        NodeGroup& group = groups_[number];
        std::sort(group.nodes.begin(), group.nodes.end());
        for (const NodeId node : group.nodes) {
            group_of_[node.index()] = number;
            ++(network_.graph.kind(node) == NodeKind::Npu ? group.npus : group.switches);
        }
    }
}

void NodeGroups::bundle_links() {
    const LinkKinds kinds(network_);
    std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, std::size_t> known;
    for (std::size_t i = 0; i < network_.graph.links(); ++i) {
        const Link& link = network_.graph.link(LinkId(i));
        const auto [from, to] =
            std::minmax(group_of_[link.from.index()], group_of_[link.to.index()]);
        if (from == to) {
            ++groups_[from].inner_links;
            continue;
        }
        const std::uint32_t kind = kinds.kind_of(LinkId(i));
        const auto [found, is_new] = known.emplace(std::tuple(from, to, kind), bundles_.size());
        if (is_new) {
            bundles_.push_back({from, to, kind, {}});
        }
        bundles_[found->second].links.emplace_back(i);
    }
}

std::vector<Block> NodeGroups::shown_blocks() const {
    std::set<Block> blocks;
    for (const NodeGroup& group : groups_) {
        const std::int32_t from = group.blocks > 0 ? group.tier + 1 : 0;
        for (std::int32_t tier = from; group.npus > 0 && tier < rows_.outermost().tier; ++tier) {
            blocks.insert({tier, rows_.block_of(group.item.npu, tier)});
        }
    }
    return {blocks.begin(), blocks.end()};
}

}  // namespace npunet::topology

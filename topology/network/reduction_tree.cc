#include "topology/network/reduction_tree.h"

#include <algorithm>
#include <utility>

namespace npunet::topology {

ReductionTrees::ReductionTrees(const NetworkDescription& network, std::vector<NodeId> npus)
    : network_(network), npus_(std::move(npus)) {
    find_neighbours();
    find_roots();
    keep_roots_within_radix();
}

void ReductionTrees::keep_roots_within_radix() {
    const auto& switches = network_.reducing_switches;
    if (std::all_of(switches.begin(), switches.end(), [](const ReducingSwitch& one) {
            return one.radix == ReducingSwitch::no_limit;
        })) {
        return;
    }
    std::vector<std::uint32_t> kept;
    for (std::size_t choice = 0; choice < roots_.size(); ++choice) {
        const ReductionTree candidate = tree(choice);
        if (std::all_of(candidate.switches.begin(), candidate.switches.end(),
                        [&](const ReductionTree::Switch& one) {
                            return one.children() <=
                                   static_cast<std::size_t>(switches[one.place].radix);
                        })) {
            kept.push_back(roots_[choice]);
        }
    }
    roots_ = std::move(kept);
}

void ReductionTrees::find_neighbours() {
    const Graph& graph = network_.graph;
    std::vector<std::uint32_t> place_of_node(graph.nodes(), none);
    for (std::size_t place = 0; place < network_.reducing_switches.size(); ++place) {
        if (network_.reducing_switches[place].entries > 0) {
            place_of_node[network_.reducing_switches[place].node.index()] =
                static_cast<std::uint32_t>(place);
        }
    }
    const auto reducing_from = [&](NodeId node) {
        std::vector<std::uint32_t> places;
        for (const LinkId link : graph.links_from(node)) {
            const NodeId to = graph.link(link).to;
            const std::uint32_t place = place_of_node[to.index()];
            if (place != none && graph.find_link(to, node).valid()) {
                places.push_back(place);
            }
        }
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
        return places;
    };
    neighbours_.resize(network_.reducing_switches.size());
    for (std::size_t place = 0; place < neighbours_.size(); ++place) {
        const NodeId node = network_.reducing_switches[place].node;
        if (place_of_node[node.index()] != none) {
            neighbours_[place] = reducing_from(node);
        }
    }
    for (const NodeId npu : npus_) {
        switches_of_npu_.push_back(reducing_from(npu));
    }
}

void ReductionTrees::find_roots() {
    // NPUs below the same switches go the same distance.
    std::vector<std::vector<std::uint32_t>> starts = switches_of_npu_;
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    if (starts.front().empty()) {
        return;
    }
    // From every start one step further at a time, until some switch is reached from all.
    struct Search {
        std::vector<bool> reached;
        std::vector<std::uint32_t> latest;
    };
    std::vector<std::size_t> reached_from(neighbours_.size(), 0);
    std::vector<Search> searches(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
        searches[i].reached.resize(neighbours_.size(), false);
        searches[i].latest = starts[i];
        for (const std::uint32_t place : starts[i]) {
            searches[i].reached[place] = true;
            ++reached_from[place];
        }
    }
    for (bool moves = true; moves;) {
        for (std::size_t place = 0; place < reached_from.size(); ++place) {
            if (reached_from[place] == starts.size()) {
                roots_.push_back(static_cast<std::uint32_t>(place));
            }
        }
        if (!roots_.empty()) {
            return;
        }
        moves = false;
        for (Search& search : searches) {
            std::vector<std::uint32_t> next;
            for (const std::uint32_t place : search.latest) {
                for (const std::uint32_t neighbour : neighbours_[place]) {
                    if (!search.reached[neighbour]) {
                        search.reached[neighbour] = true;
                        ++reached_from[neighbour];
                        next.push_back(neighbour);
                    }
                }
            }
            moves = moves || !next.empty();
            search.latest = std::move(next);
        }
    }
}

ReductionTree ReductionTrees::tree(std::size_t choice) const {
    const std::uint32_t root = roots_[choice % roots_.size()];
    std::vector<std::uint32_t> parent(neighbours_.size(), none);
    std::vector<std::uint32_t> depth(neighbours_.size(), none);
    std::vector<std::uint32_t> order{root};
    depth[root] = 0;
    for (std::size_t next = 0; next < order.size(); ++next) {
        for (const std::uint32_t neighbour : neighbours_[order[next]]) {
            if (depth[neighbour] == none) {
                depth[neighbour] = depth[order[next]] + 1;
                parent[neighbour] = order[next];
                order.push_back(neighbour);
            }
        }
    }
    // Only what lies between NPUs and the root.
    std::vector<std::uint32_t> leaf_of_npu;
    std::vector<bool> used(neighbours_.size(), false);
    for (const std::vector<std::uint32_t>& places : switches_of_npu_) {
        const std::uint32_t leaf = *std::min_element(
            places.begin(), places.end(),
            [&](std::uint32_t a, std::uint32_t b) { return depth[a] < depth[b]; });
        leaf_of_npu.push_back(leaf);
        for (std::uint32_t place = leaf; place != none && !used[place]; place = parent[place]) {
            used[place] = true;
        }
    }
    ReductionTree tree;
    tree.npus = npus_;
    std::vector<std::uint32_t> number(neighbours_.size(), none);
    for (const std::uint32_t place : order) {
        if (!used[place]) {
            continue;
        }
        number[place] = static_cast<std::uint32_t>(tree.switches.size());
        ReductionTree::Switch& one = tree.switches.emplace_back();
        one.place = place;
        if (place != root) {
            one.parent = number[parent[place]];
            tree.switches[one.parent].switches.push_back(number[place]);
        }
    }
    for (std::size_t member = 0; member < leaf_of_npu.size(); ++member) {
        tree.switch_of_member.push_back(number[leaf_of_npu[member]]);
        tree.switches[tree.switch_of_member.back()].members.push_back(
            static_cast<std::uint32_t>(member));
    }
    return tree;
}

Time push_time(const NetworkDescription& network, const ReductionTree& tree, Bytes unit) {
    const auto link_time = [&](NodeId from, NodeId to) {
        const Link& link = network.graph.link(network.graph.find_link(from, to));
        return link.latency + transfer_time(unit, link.rate);
    };
    const auto node_of = [&](std::uint32_t number) {
        return network.reducing_switches[tree.switches[number].place].node;
    };
    // Until a switch has the sum of what is below it, children before parents; then downwards.
    std::vector<Time> up(tree.switches.size());
    for (std::size_t i = tree.switches.size(); i-- > 0;) {
        const ReductionTree::Switch& one = tree.switches[i];
        const NodeId node = node_of(static_cast<std::uint32_t>(i));
        for (const std::uint32_t member : one.members) {
            up[i] = std::max(up[i], link_time(tree.npus[member], node));
        }
        for (const std::uint32_t below : one.switches) {
            up[i] = std::max(up[i], up[below] + link_time(node_of(below), node));
        }
        const ReducingSwitch& limits = network.reducing_switches[one.place];
        up[i] += limits.latency + adding_time(limits, unit);
    }
    std::vector<Time> down(tree.switches.size());
    Time last;
    for (std::size_t i = 0; i < tree.switches.size(); ++i) {
        const ReductionTree::Switch& one = tree.switches[i];
        const NodeId node = node_of(static_cast<std::uint32_t>(i));
        down[i] = one.parent == ReductionTree::none
                      ? up.front()
                      : down[one.parent] + link_time(node_of(one.parent), node);
        for (const std::uint32_t member : one.members) {
            last = std::max(last, down[i] + link_time(node, tree.npus[member]));
        }
    }
    return last;
}

}  // namespace npunet::topology

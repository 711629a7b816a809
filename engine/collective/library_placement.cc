#include "engine/collective/library_placement.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "engine/network/switch_operations.h"

namespace npunet::engine {

namespace {

/// Nodes of `npus_a_node` NPUs each, in the order of their numbers; one node of all where nodes
/// would have unequal numbers of members.
std::vector<std::int32_t> nodes_by_number(const topology::NetworkDescription& network,
                                          const std::vector<Rank>& ranks,
                                          std::int32_t npus_a_node) {
    std::map<std::int32_t, std::vector<std::size_t>> members;
    for (std::size_t member = 0; member < ranks.size(); ++member) {
        members[network.npu_of_rank[ranks[member].index()].value() / npus_a_node].push_back(member);
    }
    std::vector<std::int32_t> node_of_member(ranks.size(), 0);
    std::int32_t node = 0;
    for (const auto& [number, list] : members) {
        if (list.size() != members.begin()->second.size()) {
            return std::vector<std::int32_t>(ranks.size(), 0);
        }
        for (const std::size_t member : list) {
            node_of_member[member] = node;
        }
        ++node;
    }
    return node_of_member;
}

/// Communicators that have a collective which the library carries out, in order.
std::vector<const Group*> communicators_of(const LibraryInUse& library, const Workload& workload) {
    std::vector<bool> used(workload.groups.size(), false);
    for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
        const Rank own(static_cast<std::int32_t>(rank));
        for (const ProgramOperation& operation : workload.program(own).operations) {
            if (operation.group >= 0 && library.carries_out(operation.collective)) {
                used[workload.group_of(own, operation)] = true;
            }
        }
    }
    std::vector<const Group*> groups;
    for (std::size_t number = 0; number < used.size(); ++number) {
        if (used[number] && workload.groups[number].ranks.size() > 1) {
            groups.push_back(&workload.groups[number]);
        }
    }
    return groups;
}

double gbps(Rate rate) {
    return static_cast<double>(rate.bytes_per_second()) * 1e-9;
}

/// The lesser of two rates, of which 0 is none.
double lesser(double a, double b) {
    return a <= 0 ? b : b <= 0 ? a : std::min(a, b);
}

}  // namespace

std::vector<topology::ReductionTree> PlacedCall::trees_of_parts(std::int32_t parts) const {
    std::vector<topology::ReductionTree> of_parts;
    for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part) {
        of_parts.push_back((*trees)[part % trees->size()].tree(part));
    }
    return of_parts;
}

LibraryPlacement::LibraryPlacement(const topology::NetworkDescription& network,
                                   const LibraryInUse* library, const Workload& workload)
    : network_(network),
      library_(library),
      reduces_in_(library != nullptr && can_address_switches(network) ? ReduceIn::Switches
                                                                      : ReduceIn::Npus) {
    if (reduces_in_ == ReduceIn::Npus) {
        return;
    }
    for (std::size_t place = 0; place < network.reducing_switches.size(); ++place) {
        place_of_switch_[network.reducing_switches[place].node] = static_cast<std::uint32_t>(place);
    }
    give_groups(workload);
}

PlacedCall LibraryPlacement::of(const CommunicatorLayout& layout, const CollectiveTask& task) {
    const Members& members = members_of(layout, *task.ranks);
    PlacedCall placed;
    placed.node_of_member = members.node_of_member;
    placed.switches = members.switches;
    placed.trees = members.trees;
    placed.machine = members.machine;
    LibraryCall& call = placed.call;
    call.kind = task.kind;
    call.members = static_cast<std::int32_t>(task.ranks->size());
    call.bytes = std::max<std::int64_t>(
        1, size_of_collective(task.kind, task.size, task.ranks->size()).value());
    call.nodes = members.nodes;
    call.switches_reduce_type =
        task.type == DataType::None ? library_->element_bytes > 1 : bytes_of(task.type) > 1;
    return placed;
}

const LibraryPlacement::Members& LibraryPlacement::members_of(const CommunicatorLayout& layout,
                                                              const std::vector<Rank>& ranks) {
    auto found = members_.find(&layout);
    if (found == members_.end()) {
        found = members_.emplace(&layout, work_out(layout, ranks)).first;
    }
    return found->second;
}

LibraryPlacement::Members LibraryPlacement::work_out(const CommunicatorLayout& layout,
                                                     const std::vector<Rank>& ranks) const {
    Members members;
    members.node_of_member = nodes_of(layout, ranks);
    members.nodes =
        1 + *std::max_element(members.node_of_member.begin(), members.node_of_member.end());
    if (reduces_in_ == ReduceIn::Switches && without_group_.count(ranks) == 0) {
        members.switches = switches_of_nodes(members, ranks);
        members.trees = trees_between(members, ranks);
    }
    members.machine = machine_of(members, ranks);
    return members;
}

LibraryMachine LibraryPlacement::machine_of(const Members& members,
                                            const std::vector<Rank>& ranks) const {
    LibraryMachine machine;
    machine.collnet = library_->collnet;
    machine.nics = static_cast<std::int32_t>(ranks.size()) / members.nodes;
    const std::vector<std::int32_t>& nodes = members.node_of_member;
    const auto other = std::find_if(nodes.begin(), nodes.end(),
                                    [&](std::int32_t node) { return node != nodes[0]; });
    if (other != nodes.end()) {
        const Rank there = ranks[static_cast<std::size_t>(other - nodes.begin())];
        const topology::PlaneRoutes planes = network_.routes(network_.npu_of_rank[ranks[0].index()],
                                                             network_.npu_of_rank[there.index()]);
        double slowest = std::numeric_limits<double>::infinity();
        for (const topology::Hop& hop : planes.front()) {
            slowest = std::min(slowest, gbps(network_.graph.link(hop.link).rate));
        }
        machine.nic_rate = slowest * static_cast<double>(planes.size());
    }
    add_rates_of_switches(members, machine);
    return machine;
}

std::vector<std::int32_t> LibraryPlacement::nodes_of(const CommunicatorLayout& layout,
                                                     const std::vector<Rank>& ranks) const {
    if (library_->gpus_per_node > 0) {
        return nodes_by_number(network_, ranks, library_->gpus_per_node);
    }
    return layout.factors().size() > 1 ? layout.factors().front().line_of_member
                                       : std::vector<std::int32_t>(ranks.size(), 0);
}

LibraryPlacement::Switches LibraryPlacement::switches_of_nodes(
    const Members& members, const std::vector<Rank>& ranks) const {
    if (static_cast<std::size_t>(members.nodes) == ranks.size()) {
        return {};
    }
    std::vector<std::vector<Rank>> of_node(static_cast<std::size_t>(members.nodes));
    for (std::size_t member = 0; member < ranks.size(); ++member) {
        of_node[static_cast<std::size_t>(members.node_of_member[member])].push_back(ranks[member]);
    }
    Switches switches;
    for (const std::vector<Rank>& node : of_node) {
        switches.push_back(switches_of(node));
        if (switches.back().empty()) {
            return {};
        }
    }
    return switches;
}

std::vector<std::uint32_t> LibraryPlacement::switches_of(const std::vector<Rank>& ranks) const {
    const topology::Graph& graph = network_.graph;
    const auto npu = [&](Rank rank) { return network_.npu_of_rank[rank.index()]; };
    const auto links = [&](NodeId from, NodeId to) {
        const std::vector<LinkId>& all = graph.links_from(from);
        return std::count_if(all.begin(), all.end(),
                             [&](LinkId link) { return graph.link(link).to == to; });
    };
    std::set<std::uint32_t> places;
    for (const LinkId link : graph.links_from(npu(ranks.front()))) {
        const auto found = place_of_switch_.find(graph.link(link).to);
        if (found == place_of_switch_.end()) {
            continue;
        }
        const topology::ReducingSwitch& limits = network_.reducing_switches[found->second];
        if (limits.entries > 0 && ranks.size() <= static_cast<std::size_t>(limits.radix) &&
            std::all_of(ranks.begin(), ranks.end(), [&](Rank rank) {
                return links(npu(rank), limits.node) == 1 && links(limits.node, npu(rank)) == 1;
            })) {
            places.insert(found->second);
        }
    }
    return {places.begin(), places.end()};
}

LibraryPlacement::Trees LibraryPlacement::trees_between(const Members& members,
                                                        const std::vector<Rank>& ranks) const {
    if (!library_->collnet || members.nodes == 1) {
        return nullptr;
    }
    const auto nodes = static_cast<std::size_t>(members.nodes);
    std::vector<std::vector<NodeId>> heads(ranks.size() / nodes, std::vector<NodeId>(nodes));
    std::vector<std::size_t> next(nodes, 0);
    for (std::size_t member = 0; member < ranks.size(); ++member) {
        const auto node = static_cast<std::size_t>(members.node_of_member[member]);
        heads[next[node]++][node] = network_.npu_of_rank[ranks[member].index()];
    }
    std::vector<topology::ReductionTrees> trees;
    for (std::vector<NodeId>& list : heads) {
        trees.emplace_back(network_, std::move(list));
        if (!trees.back().exist()) {
            return nullptr;
        }
    }
    return std::make_shared<const std::vector<topology::ReductionTrees>>(std::move(trees));
}

void LibraryPlacement::add_rates_of_switches(const Members& members,
                                             LibraryMachine& machine) const {
    // Switches of a node share its requests evenly.
    for (const std::vector<std::uint32_t>& places : members.switches) {
        for (const std::uint32_t place : places) {
            const double all =
                gbps(network_.reducing_switches[place].rate) * static_cast<double>(places.size());
            machine.sum_rate = lesser(machine.sum_rate, all);
        }
    }
    if (members.trees == nullptr) {
        return;
    }
    // Of the data each place in a node has an equal part, for which its trees take turns.
    std::map<std::uint32_t, double> share;  // by switch
    Time longest;
    for (const topology::ReductionTrees& trees : *members.trees) {
        for (std::size_t choice = 0; choice < trees.size(); ++choice) {
            const topology::ReductionTree tree = trees.tree(choice);
            for (const topology::ReductionTree::Switch& one : tree.switches) {
                share[one.place] += 1.0 / static_cast<double>(members.trees->size() * trees.size());
            }
        }
        const topology::ReductionTree first = trees.tree(0);
        const Bytes unit = network_.reducing_switches[first.switches.front().place].unit;
        longest = std::max(longest, push_time(network_, first, unit));
    }
    for (const auto& [place, part] : share) {
        machine.push_rate =
            lesser(machine.push_rate, gbps(network_.reducing_switches[place].rate) / part);
    }
    machine.push_latency = static_cast<double>(longest.ps()) * 1e-6;
}

void LibraryPlacement::give_groups(const Workload& workload) {
    const auto& limits = network_.reducing_switches;
    if (std::all_of(limits.begin(), limits.end(), [](const topology::ReducingSwitch& one) {
            return one.groups == topology::ReducingSwitch::no_limit;
        })) {
        return;
    }
    std::vector<std::int32_t> given(limits.size(), 0);
    std::set<std::vector<Rank>> seen;
    for (const Group* group : communicators_of(*library_, workload)) {
        if (!seen.insert(group->ranks).second) {
            continue;
        }
        const Members members = work_out(CommunicatorLayout(network_, group->ranks), group->ranks);
        std::set<std::uint32_t> wanted;
        for (const std::vector<std::uint32_t>& places : members.switches) {
            wanted.insert(places.begin(), places.end());
        }
        for (std::size_t i = 0; members.trees != nullptr && i < members.trees->size(); ++i) {
            const topology::ReductionTrees& trees = (*members.trees)[i];
            for (std::size_t choice = 0; choice < trees.size(); ++choice) {
                for (const topology::ReductionTree::Switch& one : trees.tree(choice).switches) {
                    wanted.insert(one.place);
                }
            }
        }
        if (std::any_of(wanted.begin(), wanted.end(), [&](std::uint32_t place) {
                return given[place] == limits[place].groups;
            })) {
            without_group_.insert(group->ranks);
            continue;
        }
        for (const std::uint32_t place : wanted) {
            ++given[place];
        }
    }
}

}  // namespace npunet::engine

#include "engine/collective/library_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "engine/network/switch_operations.h"

namespace npunet::engine {

namespace {

/// What lies between the nodes of a communicator: one NIC a member, as fast as the slowest link
/// from the first member to one of another node.
LibraryMachine library_machine(const topology::NetworkDescription& network,
                               const std::vector<Rank>& ranks, std::int32_t per_node,
                               const std::vector<std::int32_t>& node_of_member) {
    LibraryMachine machine;
    machine.nics = per_node;
    for (std::size_t member = 1; member < ranks.size(); ++member) {
        if (node_of_member[member] == node_of_member[0]) {
            continue;
        }
        const topology::PlaneRoutes planes = network.routes(
            network.npu_of_rank[ranks[0].index()], network.npu_of_rank[ranks[member].index()]);
        double slowest = std::numeric_limits<double>::infinity();
        for (const topology::Hop& hop : planes.front()) {
            const Rate rate = network.graph.link(hop.link).rate;
            slowest = std::min(slowest, static_cast<double>(rate.bytes_per_second()) * 1e-9);
        }
        machine.nic_rate = slowest * static_cast<double>(planes.size());
        break;
    }
    return machine;
}

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

/// The switches that reduce and have one link to each of these NPUs and one from it.
std::vector<std::uint32_t> switches_of(const topology::NetworkDescription& network,
                                       const std::vector<Rank>& ranks) {
    std::vector<std::uint32_t> places;
    const topology::Graph& graph = network.graph;
    const auto links = [&](NodeId from, NodeId to) {
        const std::vector<LinkId>& all = graph.links_from(from);
        return std::count_if(all.begin(), all.end(),
                             [&](LinkId link) { return graph.link(link).to == to; });
    };
    for (std::size_t place = 0; place < network.reducing_switches.size(); ++place) {
        const NodeId node = network.reducing_switches[place].node;
        if (network.reducing_switches[place].entries > 0 &&
            std::all_of(ranks.begin(), ranks.end(), [&](Rank rank) {
                const NodeId npu = network.npu_of_rank[rank.index()];
                return links(npu, node) == 1 && links(node, npu) == 1;
            })) {
            places.push_back(static_cast<std::uint32_t>(place));
        }
    }
    return places;
}

std::string text_of(const std::string& library, const LibraryTiming& timing) {
    return fmt::format("{} {} {}, {} {}", library, name_of(timing.choice.algorithm),
                       name_of(timing.choice.protocol), timing.use.channels,
                       timing.use.channels == 1 ? "channel" : "channels");
}

bool is_by_collnet(const LibraryTiming& timing) {
    return timing.choice.algorithm == LibraryAlgorithm::CollNetDirect ||
           timing.choice.algorithm == LibraryAlgorithm::CollNetChain;
}

bool is_by_switches(const LibraryTiming& timing) {
    return timing.choice.algorithm == LibraryAlgorithm::Nvls ||
           timing.choice.algorithm == LibraryAlgorithm::NvlsTree || is_by_collnet(timing);
}

}  // namespace

LibraryPlanner::LibraryPlanner(const topology::NetworkDescription& network,
                               const SystemConfig& system)
    : network_(network),
      system_(system),
      reduces_in_(system.library != nullptr && can_address_switches(network) ? ReduceIn::Switches
                                                                             : ReduceIn::Npus),
      bounds_(network, BoundBy::PortsAndCuts, reduces_in_) {}

bool LibraryPlanner::is_for(const CollectiveTask& task) const {
    return system_.library != nullptr && system_.library->carries_out(task.kind) &&
           task.sizes == nullptr && task.ranks->size() > 1;
}

LibraryPlanner::Placed LibraryPlanner::placed(const CommunicatorLayout& layout,
                                              const CollectiveTask& task) {
    const LibraryInUse& library = *system_.library;
    Placed placed;
    if (library.gpus_per_node > 0) {
        placed.node_of_member = nodes_by_number(network_, *task.ranks, library.gpus_per_node);
    } else if (layout.factors().size() > 1) {
        placed.node_of_member = layout.factors().front().line_of_member;
    } else {
        placed.node_of_member.resize(task.ranks->size(), 0);
    }
    LibraryCall& call = placed.call;
    call.kind = task.kind;
    call.members = static_cast<std::int32_t>(task.ranks->size());
    call.bytes = std::max<std::int64_t>(
        1, size_of_collective(task.kind, task.size, task.ranks->size()).value());
    call.nodes = 1 + *std::max_element(placed.node_of_member.begin(), placed.node_of_member.end());
    call.switches_reduce_type =
        task.type == DataType::None ? library.element_bytes > 1 : bytes_of(task.type) > 1;
    placed.machine = library_machine(network_, *task.ranks, call.per_node(), placed.node_of_member);
    placed.machine.collnet = library.collnet;
    placed.trees = trees_of(layout, placed, *task.ranks);
    if (placed.trees != nullptr) {
        Time longest;
        for (const topology::ReductionTrees& trees : *placed.trees) {
            const topology::ReductionTree tree = trees.tree(0);
            const Bytes unit = network_.reducing_switches[tree.switches.front().place].unit;
            longest = std::max(longest, push_time(network_, tree, unit));
        }
        placed.machine.push_latency = static_cast<double>(longest.ps()) * 1e-6;
    }
    return placed;
}

LibraryPlanner::Trees LibraryPlanner::trees_of(const CommunicatorLayout& layout,
                                               const Placed& placed,
                                               const std::vector<Rank>& ranks) {
    if (!placed.machine.collnet || placed.call.nodes == 1 || !can_address_switches(network_)) {
        return nullptr;
    }
    const auto [found, is_new] = trees_.try_emplace(&layout);
    if (!is_new) {
        return found->second;
    }
    std::vector<std::vector<NodeId>> heads(static_cast<std::size_t>(placed.call.per_node()));
    std::vector<std::size_t> next(static_cast<std::size_t>(placed.call.nodes), 0);
    for (auto& list : heads) {
        list.resize(next.size());
    }
    for (std::size_t member = 0; member < ranks.size(); ++member) {
        const auto node = static_cast<std::size_t>(placed.node_of_member[member]);
        heads[next[node]++][node] = network_.npu_of_rank[ranks[member].index()];
    }
    std::vector<topology::ReductionTrees> trees;
    for (std::vector<NodeId>& list : heads) {
        trees.emplace_back(network_, std::move(list));
        if (!trees.back().exist()) {
            return nullptr;
        }
    }
    found->second = std::make_shared<const std::vector<topology::ReductionTrees>>(std::move(trees));
    return found->second;
}

std::vector<topology::ReductionTree> LibraryPlanner::trees_of_parts(const Placed& placed,
                                                                    std::int32_t parts) {
    const std::vector<topology::ReductionTrees>& by_place = *placed.trees;
    std::vector<topology::ReductionTree> trees;
    for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part) {
        trees.push_back(by_place[part % by_place.size()].tree(part));
    }
    return trees;
}

LibraryTiming LibraryPlanner::wanted(const Placed& where, const CollectiveTask& task) const {
    const LibraryInUse& library = *system_.library;
    if (const auto timing = library.model.time(where.call, where.machine, library.override)) {
        return *timing;
    }
    LibraryCall other = where.call;
    other.switches_reduce_type = true;
    if (library.model.time(other, where.machine, library.override)) {
        const auto ring = library.model.time(
            where.call, where.machine, {{LibraryAlgorithm::Ring}, library.override.protocols});
        assert(ring && "rings carry out all of its kinds with every protocol");
        return *ring;
    }
    throw InputError(
        {system_.file, "nccl-algo, nccl-proto",
         fmt::format("nothing that carries out {} among {} NPUs on {}", name_of(task.kind),
                     where.call.members, where.call.nodes == 1 ? "one node" : "several nodes"),
         "algorithms and protocols among which there is one for each collective",
         "Add Ring, or name an algorithm for this kind: " + key_of(task.kind) +
             (where.machine.collnet ? "" : "; CollNetDirect and CollNetChain need nccl-collnet")});
}

LibraryPlanner::Known LibraryPlanner::work_out(const CommunicatorLayout& layout,
                                               const CollectiveTask& task) {
    const Placed where = placed(layout, task);
    const LibraryTiming chosen = wanted(where, task);
    Known known;
    schedule(where, task, chosen, known);
    const std::string note = note_on_type(where, task, chosen);
    known.algorithm += note;
    // Where network.yml says which switches reduce, they decide at every fidelity.
    const bool is_replaced = is_by_switches(chosen) &&
                             known.carried_out.choice.algorithm != chosen.choice.algorithm &&
                             !network_.reducing_switches.empty();
    known.estimate = std::make_shared<const LibraryEstimate>(
        estimate(where.call, where.machine, task, is_replaced ? known.carried_out : chosen,
                 is_replaced ? known.algorithm : text_of(system_.library->name, chosen) + note));
    return known;
}

void LibraryPlanner::schedule(const Placed& where, const CollectiveTask& task,
                              const LibraryTiming& wanted, Known& known) const {
    const LibraryInUse& library = *system_.library;
    const LibraryModel& model = library.model;
    known.algorithm = text_of(library.name, wanted);
    known.carried_out = wanted;
    const LibraryOverride chosen{{wanted.choice.algorithm}, {wanted.choice.protocol}};
    if (const auto nvls = model.nvls_timing(where.call, where.machine, chosen)) {
        known.nvls = nvls_plan(where, task, *nvls);
    }
    if (known.nvls != nullptr) {
        return;
    }
    auto timing = model.channel_timing(where.call, where.machine, chosen);
    std::vector<topology::ReductionTree> trees;
    if (timing && is_by_collnet(timing->timing)) {
        if (where.trees == nullptr) {
            timing = std::nullopt;
        } else {
            const std::int32_t heads = wanted.choice.algorithm == LibraryAlgorithm::CollNetDirect
                                           ? where.call.per_node()
                                           : 1;
            trees = trees_of_parts(where, wanted.use.channels * heads);
        }
    }
    if (!timing) {
        timing = model.channel_timing(where.call, where.machine,
                                      {{LibraryAlgorithm::Ring}, library.override.protocols});
        assert(timing && "rings carry out all of its kinds with every protocol");
        known.carried_out = timing->timing;
        known.algorithm = fmt::format("{} (its tuner: {})", text_of(library.name, timing->timing),
                                      name_of(wanted.choice.algorithm));
    }
    known.schedule = library_schedule(where.call, *timing, where.node_of_member, std::move(trees));
}

std::string LibraryPlanner::note_on_type(const Placed& where, const CollectiveTask& task,
                                         const LibraryTiming& wanted) const {
    if (where.call.switches_reduce_type) {
        return "";
    }
    LibraryCall other = where.call;
    other.switches_reduce_type = true;
    const LibraryInUse& library = *system_.library;
    const auto taken = library.model.time(other, where.machine, library.override);
    if (!taken || !is_by_switches(*taken) || is_by_switches(wanted)) {
        return "";
    }
    return fmt::format(" (its tuner: {}, but not for {}-byte elements)",
                       name_of(taken->choice.algorithm),
                       task.type == DataType::None ? library.element_bytes : bytes_of(task.type));
}

std::shared_ptr<const NvlsPlan> LibraryPlanner::nvls_plan(const Placed& where,
                                                          const CollectiveTask& task,
                                                          const NvlsTiming& timing) const {
    if (reduces_in_ == ReduceIn::Npus) {
        return nullptr;
    }
    std::vector<std::vector<Rank>> ranks(static_cast<std::size_t>(where.call.nodes));
    for (std::size_t member = 0; member < task.ranks->size(); ++member) {
        ranks[static_cast<std::size_t>(where.node_of_member[member])].push_back(
            (*task.ranks)[member]);
    }
    Bytes unit(std::numeric_limits<std::int64_t>::max());
    std::vector<std::vector<std::uint32_t>> switches;
    for (const std::vector<Rank>& node : ranks) {
        switches.push_back(switches_of(network_, node));
        if (switches.back().empty()) {
            return nullptr;
        }
        for (const std::uint32_t place : switches.back()) {
            unit = std::min(unit, network_.reducing_switches[place].unit);
        }
    }
    const bool between =
        timing.timing.choice.algorithm == LibraryAlgorithm::Nvls && where.call.nodes > 1;
    if (between && where.trees == nullptr) {
        return nullptr;
    }
    return std::make_shared<const NvlsPlan>(
        NvlsPlan{NvlsSchedule(where.call, timing, where.node_of_member, unit), std::move(switches),
                 std::move(ranks),
                 between ? trees_of_parts(where, where.call.per_node())
                         : std::vector<topology::ReductionTree>()});
}

LibraryEstimate LibraryPlanner::estimate(const LibraryCall& call, const LibraryMachine& machine,
                                         const CollectiveTask& task, const LibraryTiming& timing,
                                         std::string algorithm) {
    LibraryCall small = call;
    small.bytes = 1;
    const auto start = system_.library->model.time(small, machine, system_.library->override);
    const Time least = bounds_.least_time(task.kind, *task.ranks, task.size, Rank());
    return {std::max(timing.time, least + (start ? start->time : Time())), std::move(algorithm),
            timing.use.channels};
}

CollectivePlan LibraryPlanner::plan(const CommunicatorLayout& layout, const CollectiveTask& task) {
    const auto key = std::make_tuple(&layout, task.kind, task.size.value(), task.type);
    auto found = known_.find(key);
    if (found == known_.end()) {
        found = known_.emplace(key, work_out(layout, task)).first;
    }
    return plan_of(task, found->second);
}

CollectivePlan LibraryPlanner::plan_of(const CollectiveTask& task, const Known& known) {
    CollectivePlan plan;
    plan.kind = task.kind;
    plan.size = task.size;
    plan.library = known.schedule;
    plan.nvls = known.nvls;
    plan.estimate = known.estimate;
    plan.blocks = known.carried_out.use.channels;
    plan.algorithm = known.algorithm;
    return plan;
}

LibraryPlanner::KnownLaunch LibraryPlanner::work_out_launch(
    const CommunicatorLayout& layout, const std::vector<CollectiveTask>& tasks) {
    const LibraryInUse& library = *system_.library;
    const LibraryModel& model = library.model;
    KnownLaunch all(tasks.size());
    std::vector<std::size_t> together;
    std::vector<Placed> where;
    std::vector<std::int64_t> traffic;
    std::int32_t most = 1;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const Placed placed_one = placed(layout, tasks[i]);
        const LibraryTiming timing = wanted(placed_one, tasks[i]);
        if (timing.choice.algorithm != LibraryAlgorithm::Ring &&
            timing.choice.algorithm != LibraryAlgorithm::Tree) {
            continue;
        }
        together.push_back(i);
        where.push_back(placed_one);
        traffic.push_back(launch_traffic(placed_one.call, timing.choice.protocol));
        most = model.channels_of(placed_one.call, placed_one.machine, timing.choice.algorithm);
        all[i].carried_out = timing;
    }
    if (together.size() < 2) {
        return KnownLaunch(tasks.size());
    }
    const std::vector<LaunchShare> shares = launch_shares(traffic, most);
    std::vector<Time> busy(static_cast<std::size_t>(shares.front().of_all));  // by channel
    for (std::size_t k = 0; k < together.size(); ++k) {
        Known& known = all[together[k]];
        const LibraryChoice choice = known.carried_out.choice;
        const auto timing = model.channel_timing(
            where[k].call, where[k].machine, {{choice.algorithm}, {choice.protocol}}, &shares[k]);
        assert(timing && "what the tuner takes can be carried out");
        known.share = shares[k];
        known.carried_out = timing->timing;
        known.schedule = library_schedule(where[k].call, *timing, where[k].node_of_member);
        known.algorithm = fmt::format("{}, launched with {} more{}",
                                      text_of(library.name, timing->timing), together.size() - 1,
                                      note_on_type(where[k], tasks[together[k]], timing->timing));
        // Channels make the collectives of a launch one after the other.
        LibraryTiming whole = timing->timing;
        const Time work = whole.time - timing->start;
        for (std::int32_t i = 0; i < shares[k].channels; ++i) {
            Time& until = busy[static_cast<std::size_t>(shares[k].first + i)];
            until = std::max(until, timing->start) + work;
            whole.time = std::max(whole.time, until);
        }
        known.estimate = std::make_shared<const LibraryEstimate>(
            estimate(where[k].call, where[k].machine, tasks[together[k]], whole, known.algorithm));
    }
    return all;
}

CollectivePlan LibraryPlanner::plan_launched(const CommunicatorLayout& layout,
                                             const std::vector<CollectiveTask>& tasks,
                                             std::size_t own, std::uint64_t launch) {
    std::vector<std::int64_t> like;
    for (const CollectiveTask& task : tasks) {
        like.insert(like.end(), {static_cast<std::int64_t>(task.kind), task.size.value(),
                                 static_cast<std::int64_t>(task.type)});
    }
    const auto [found, is_new] = known_launches_.try_emplace({&layout, like});
    if (is_new) {
        found->second = work_out_launch(layout, tasks);
    }
    const Known& known = found->second[own];
    if (known.estimate == nullptr) {
        return plan(layout, tasks[own]);
    }
    CollectivePlan plan = plan_of(tasks[own], known);
    plan.launch = std::make_shared<const PlaceInLaunch>(
        PlaceInLaunch{launch, known.share.first, known.share.of_all});
    return plan;
}

}  // namespace npunet::engine

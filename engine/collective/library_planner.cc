#include "engine/collective/library_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/errors.h"

namespace npunet::engine {

namespace {

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
                               const SystemConfig& system, const Workload& workload)
    : network_(network),
      system_(system),
      placement_(network, system.library.get(), workload),
      bounds_(network, BoundBy::PortsAndCuts, placement_.reduces_in()) {}

bool LibraryPlanner::is_for(const CollectiveTask& task) const {
    return system_.library != nullptr && system_.library->carries_out(task.kind) &&
           task.sizes == nullptr && task.ranks->size() > 1;
}

bool LibraryPlanner::is_for_unequal(const CollectiveTask& task) const {
    return system_.library != nullptr && system_.library->carries_out(task.kind) &&
           task.sizes != nullptr && task.ranks->size() > 1;
}

LibraryTiming LibraryPlanner::wanted(const PlacedCall& where, const CollectiveTask& task) const {
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

LibraryPlanner::Known LibraryPlanner::work_out(const PlacedCall& where,
                                               const CollectiveTask& task) {
    const LibraryTiming chosen = wanted(where, task);
    Known known;
    schedule(where, task, chosen, known);
    const std::string note = note_on_type(where, task, chosen);
    known.algorithm += note;
    // Where network.yml says which switches reduce, they decide at every fidelity.
    const bool is_replaced = is_by_switches(chosen) &&
                             known.carried_out.choice.algorithm != chosen.choice.algorithm &&
                             !network_.reducing_switches.empty();
    LibraryEstimate closed =
        estimate(where.call, where.machine, task, is_replaced ? known.carried_out : chosen,
                 is_replaced ? known.algorithm : text_of(system_.library->name, chosen) + note);
    closed.schedule = known.schedule;
    closed.nvls = known.nvls;
    if (!is_replaced && is_by_switches(chosen)) {
        set_messages(where, chosen, known, closed);
    }
    known.estimate = std::make_shared<const LibraryEstimate>(std::move(closed));
    return known;
}

void LibraryPlanner::set_messages(const PlacedCall& where, const LibraryTiming& wanted,
                                  const Known& known, LibraryEstimate& estimate) const {
    if (known.carried_out.choice.algorithm == wanted.choice.algorithm) {
        return;
    }
    const LibraryModel& model = system_.library->model;
    const LibraryOverride chosen{{wanted.choice.algorithm}, {wanted.choice.protocol}};
    if (const auto nvls = model.nvls_timing(where.call, where.machine, chosen)) {
        const Bytes chunk(std::max<std::int64_t>(1, nvls->chunk));
        const bool between =
            wanted.choice.algorithm == LibraryAlgorithm::Nvls && where.call.nodes > 1;
        estimate.nvls = std::make_shared<const NvlsPlan>(NvlsPlan{
            NvlsSchedule(where.call, *nvls, where.node_of_member, chunk), {}, {}, {}, between});
    } else if (const auto timing = model.channel_timing(where.call, where.machine, chosen)) {
        estimate.schedule = library_schedule(where.call, *timing, where.node_of_member);
    }
}

void LibraryPlanner::schedule(const PlacedCall& where, const CollectiveTask& task,
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
            trees = where.trees_of_parts(wanted.use.channels * heads);
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

std::string LibraryPlanner::note_on_type(const PlacedCall& where, const CollectiveTask& task,
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

std::shared_ptr<const NvlsPlan> LibraryPlanner::nvls_plan(const PlacedCall& where,
                                                          const CollectiveTask& task,
                                                          const NvlsTiming& timing) const {
    if (where.switches.empty()) {
        return nullptr;
    }
    const bool between =
        timing.timing.choice.algorithm == LibraryAlgorithm::Nvls && where.call.nodes > 1;
    if (between && where.trees == nullptr) {
        return nullptr;
    }
    std::vector<std::vector<Rank>> ranks(static_cast<std::size_t>(where.call.nodes));
    for (std::size_t member = 0; member < task.ranks->size(); ++member) {
        ranks[static_cast<std::size_t>(where.node_of_member[member])].push_back(
            (*task.ranks)[member]);
    }
    Bytes unit(std::numeric_limits<std::int64_t>::max());
    for (const std::vector<std::uint32_t>& places : where.switches) {
        for (const std::uint32_t place : places) {
            unit = std::min(unit, network_.reducing_switches[place].unit);
        }
    }
    return std::make_shared<const NvlsPlan>(
        NvlsPlan{NvlsSchedule(where.call, timing, where.node_of_member, unit), where.switches,
                 std::move(ranks),
                 between ? where.trees_of_parts(where.call.per_node())
                         : std::vector<topology::ReductionTree>()});
}

Time LibraryPlanner::least_on_links(const LibraryCall& call, const CollectiveTask& task) {
    const Time least = call.sizes != nullptr
                           ? bounds_.least_time_of_parts(*task.ranks, call.sizes->rows)
                           : bounds_.least_time(task.kind, *task.ranks, task.size, Rank());
    // The latencies of the network are in the hops of the library.
    return least - bounds_.least_time(task.kind, *task.ranks, Bytes(), Rank());
}

LibraryEstimate LibraryPlanner::estimate(const LibraryCall& call, const LibraryMachine& machine,
                                         const CollectiveTask& task, const LibraryTiming& timing,
                                         std::string algorithm) {
    LibraryCall small = call;
    small.bytes = 1;
    small.sizes = nullptr;
    const auto start = system_.library->model.time(small, machine, system_.library->override);
    return {std::max(timing.time, least_on_links(call, task) + (start ? start->time : Time())),
            std::move(algorithm), timing.use.channels};
}

CollectivePlan LibraryPlanner::plan(const CommunicatorLayout& layout, const CollectiveTask& task) {
    const auto key = std::make_tuple(&layout, task.kind, task.size.value(), task.type);
    auto found = known_.find(key);
    if (found == known_.end()) {
        found = known_.emplace(key, work_out(placement_.of(layout, task), task)).first;
    }
    return plan_of(task, found->second);
}

std::optional<CollectivePlan> LibraryPlanner::plan_unequal(const CommunicatorLayout& layout,
                                                           const CollectiveTask& task,
                                                           std::size_t number,
                                                           const std::function<Rows()>& rows) {
    const auto [found, is_new] = known_unequal_.try_emplace({&layout, number});
    if (is_new) {
        PlacedCall where = placement_.of(layout, task);
        SizesByPair sizes{rows(), where.node_of_member};
        std::int64_t most = 0;
        for (const std::vector<std::int64_t>* row : sizes.rows) {
            most = std::max(most, std::accumulate(row->begin(), row->end(), std::int64_t{0}));
        }
        if (most > 0) {
            where.call.bytes = most;
            where.call.sizes = std::make_shared<const SizesByPair>(std::move(sizes));
            found->second = work_out(where, task);
        }
    }
    return found->second ? std::optional(plan_of(task, *found->second)) : std::nullopt;
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
    std::vector<PlacedCall> where;
    std::vector<std::int64_t> traffic;
    std::int32_t most = 1;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const PlacedCall placed_one = placement_.of(layout, tasks[i]);
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
        LibraryEstimate closed =
            estimate(where[k].call, where[k].machine, tasks[together[k]], whole, known.algorithm);
        closed.schedule = known.schedule;
        known.estimate = std::make_shared<const LibraryEstimate>(std::move(closed));
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

#include "engine/collective/library_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <vector>

namespace npunet::engine {

namespace {

/// What lies between the nodes of a communicator: one NIC a member, as fast as the slowest link
/// from the first member to one of another node.
LibraryMachine library_machine(const topology::NetworkDescription& network,
                               const std::vector<Rank>& ranks, const LayoutFactor& inside,
                               bool several) {
    LibraryMachine machine;
    machine.nics = inside.size;
    for (std::size_t member = 1; several && member < ranks.size(); ++member) {
        if (inside.line_of_member[member] == inside.line_of_member[0]) {
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

std::string text_of(const std::string& library, const LibraryTiming& timing) {
    return fmt::format("{} {} {}, {} {}", library, name_of(timing.choice.algorithm),
                       name_of(timing.choice.protocol), timing.use.channels,
                       timing.use.channels == 1 ? "channel" : "channels");
}

}  // namespace

bool LibraryPlanner::is_for(const CollectiveTask& task) const {
    return system_.library != nullptr && system_.library->carries_out(task.kind) &&
           task.sizes == nullptr && task.ranks->size() > 1;
}

LibraryPlanner::Known LibraryPlanner::work_out(const CommunicatorLayout& layout,
                                               const CollectiveTask& task) {
    const LayoutFactor& inside = layout.factors().front();
    const bool several = layout.factors().size() > 1;
    LibraryCall call;
    call.kind = task.kind;
    call.members = static_cast<std::int32_t>(task.ranks->size());
    call.bytes = std::max<std::int64_t>(
        1, size_of_collective(task.kind, task.size, task.ranks->size()).value());
    call.nodes = several ? call.members / inside.size : 1;
    const LibraryMachine machine = library_machine(network_, *task.ranks, inside, several);
    const auto timing = system_.library->model.channel_timing(call, machine);
    assert(timing && "rings carry out all of its kinds");
    Known known;
    known.schedule = std::make_shared<const LibrarySchedule>(
        call, *timing,
        several ? inside.line_of_member : std::vector<std::int32_t>(task.ranks->size(), 0));
    known.algorithm = text_of(system_.library->name, timing->timing);
    const auto wanted = system_.library->model.time(call, machine, {});
    if (wanted && wanted->choice.algorithm != timing->timing.choice.algorithm) {
        known.algorithm += fmt::format(" (its tuner: {})", name_of(wanted->choice.algorithm));
    }
    known.estimate = std::make_shared<const LibraryEstimate>(
        estimate(call, machine, task, wanted ? *wanted : timing->timing));
    return known;
}

LibraryEstimate LibraryPlanner::estimate(const LibraryCall& call, const LibraryMachine& machine,
                                         const CollectiveTask& task, const LibraryTiming& timing) {
    LibraryCall small = call;
    small.bytes = 1;
    const auto start = system_.library->model.time(small, machine, {});
    const Time least = bounds_.least_time(task.kind, *task.ranks, task.size, Rank());
    return {std::max(timing.time, least + (start ? start->time : Time())),
            text_of(system_.library->name, timing)};
}

CollectivePlan LibraryPlanner::plan(const CommunicatorLayout& layout, const CollectiveTask& task) {
    const auto [found, is_new] =
        known_.try_emplace(std::make_tuple(&layout, task.kind, task.size.value()));
    if (is_new) {
        found->second = work_out(layout, task);
    }
    CollectivePlan plan;
    plan.kind = task.kind;
    plan.size = task.size;
    plan.library = found->second.schedule;
    plan.estimate = found->second.estimate;
    plan.algorithm = found->second.algorithm;
    return plan;
}

}  // namespace npunet::engine

#include "engine/collective/instances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/errors.h"

namespace npunet::engine {

CollectiveInstances::CollectiveInstances(const Workload& workload)
    : workload_(workload),
      members_(workload.ranks()),
      operations_(workload.groups.size()),
      groups_(workload.groups.size()) {
    for (std::size_t group = 0; group < workload.groups.size(); ++group) {
        const std::vector<Rank>& ranks = workload.groups[group].ranks;
        for (std::size_t member = 0; member < ranks.size(); ++member) {
            members_[ranks[member].index()].emplace_back(group, member);
        }
        operations_[group].resize(ranks.size());
    }
    for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
        const RankProgram& program = workload.programs[rank];
        for (const std::uint32_t number : program.collectives) {
            const std::int32_t group = program.operations[number].group;
            operations_[static_cast<std::size_t>(group)][member_of(group, Rank(rank))].push_back(
                number);
        }
    }
}

std::size_t CollectiveInstances::member_of(std::int32_t group, Rank rank) const {
    const auto& list = members_[rank.index()];  // groups ascending
    const auto found = std::lower_bound(list.begin(), list.end(), std::make_pair(group, 0));
    assert(found != list.end() && found->first == group && "checked when the workload was made");
    return static_cast<std::size_t>(found->second);
}

void CollectiveInstances::check_agreement(const CollectiveInstance& instance, Rank rank,
                                          const ProgramOperation& operation,
                                          const std::string& name) const {
    const bool same_size = instance.result.bytes == operation.bytes || !operation.sizes.empty();
    if (instance.kind == operation.collective && same_size && instance.root == operation.root) {
        return;
    }
    const Group& group = workload_.groups[static_cast<std::size_t>(instance.group)];
    throw StallError(fmt::format(
        "the members of communicator '{}' disagree about their next collective: rank {} runs {} of "
        "{} bytes (node {} '{}'), rank {} runs {} of {} bytes (node {} '{}'). All members of a "
        "communicator "
        "must run the same collectives in the same order; check the traces",
        group.name, rank.value(), name_of(operation.collective), operation.bytes.value(),
        operation.node, name, instance.first_rank.value(), instance.result.type,
        instance.result.bytes.value(), instance.first_node, instance.result.name));
}

std::uint32_t CollectiveInstances::join(Rank rank, std::size_t member,
                                        const ProgramOperation& operation, const std::string& name,
                                        Time now) {
    const std::int32_t group = operation.group;
    GroupState& state = groups_[static_cast<std::size_t>(group)];
    const std::vector<Rank>& ranks = workload_.groups[static_cast<std::size_t>(group)].ranks;
    state.started_by_member.resize(ranks.size(), 0);
    const std::uint64_t number = state.started_by_member[member]++ - state.first_instance;
    if (number == state.instances.size()) {
        CollectiveInstance instance;
        instance.group = group;
        instance.kind = operation.collective;
        instance.root = operation.root;
        instance.number = state.started_by_member[member] - 1;
        instance.first_rank = rank;
        instance.first_node = operation.node;
        instance.run_of_member.assign(ranks.size(), CollectiveInstance::no_run);
        instance.result.name = name;
        instance.result.type = name_of(operation.collective);
        instance.result.bytes = operation.bytes;
        instance.result.first_start = now;
        state.instances.push_back(static_cast<std::uint32_t>(instances_.size()));
        instances_.push_back(std::move(instance));
    }
    const std::uint32_t index = state.instances[number];
    check_agreement(instances_[index], rank, operation, name);
    instances_[index].result.last_start = now;
    return index;
}

bool CollectiveInstances::leave(std::uint32_t index, Time now) {
    CollectiveInstance& instance = instances_[index];
    instance.result.end = now;
    if (++instance.finished < instance.run_of_member.size()) {
        return false;
    }
    // Nobody is left in it: what remains is the result.
    instance.run_of_member = {};
    GroupState& state = groups_[static_cast<std::size_t>(instance.group)];
    while (!state.instances.empty() && instances_[state.instances.front()].run_of_member.empty()) {
        state.instances.pop_front();
        ++state.first_instance;
    }
    return true;
}

std::vector<CollectiveResult> CollectiveInstances::results() const {
    std::vector<CollectiveResult> list;
    for (const CollectiveInstance& instance : instances_) {
        list.push_back(instance.result);
        list.back().group = workload_.groups[static_cast<std::size_t>(instance.group)].ranks;
    }
    const auto lowest = [](const CollectiveResult& result) {
        return std::min_element(result.group.begin(), result.group.end())->value();
    };
    std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) {
        return a.first_start < b.first_start ||
               (a.first_start == b.first_start && lowest(a) < lowest(b));
    });
    std::int64_t id = 0;
    for (CollectiveResult& result : list) {
        result.id = id++;
        const Time span = result.end - result.last_start;
        if (span > Time()) {
            result.bandwidth_gbps =
                static_cast<double>(result.bytes.value()) * 1000.0 / static_cast<double>(span.ps());
        }
    }
    return list;
}

std::string CollectiveInstances::explain(Rank rank, std::int32_t group_number) const {
    const Group& group = workload_.groups[static_cast<std::size_t>(group_number)];
    const GroupState& state = groups_[static_cast<std::size_t>(group_number)];
    const std::size_t member = member_of(group_number, rank);
    const std::uint64_t number = state.started_by_member[member];
    std::string absent;
    std::size_t count = 0;
    for (std::size_t other = 0; other < group.ranks.size(); ++other) {
        if (state.started_by_member[other] < number) {
            ++count;
            if (count <= 8) {
                absent +=
                    fmt::format("{}{}", absent.empty() ? "" : ", ", group.ranks[other].value());
            }
        }
    }
    if (count == 0) {
        return "messages of the collective that are still under way";
    }
    return fmt::format(
        "rank{} {}{} of communicator '{}', not yet at this collective (its number {} "
        "there)",
        count == 1 ? "" : "s", absent, count > 8 ? ", ..." : "", group.name, number);
}

}  // namespace npunet::engine

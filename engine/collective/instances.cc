#include "engine/collective/instances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <tuple>

#include "base/errors.h"
#include "engine/npu/statistics.h"

namespace npunet::engine {

namespace {

/// 10^9 bytes per second; 0 where there was no time.
double gbps(Bytes bytes, Time span) {
    return span > Time()
               ? static_cast<double>(bytes.value()) * 1000.0 / static_cast<double>(span.ps())
               : 0;
}

/// What members have to agree about, for messages.
std::string described(CollectiveKind kind, Bytes bytes, Rank root, bool unequal) {
    std::string text = fmt::format("{} of {} bytes", name_of(kind), bytes.value());
    if (has_root(kind)) {
        text += fmt::format(" with root {}", root.value());
    }
    if (kind == CollectiveKind::AllToAll) {
        text += unequal ? " with comm_sizes" : " without comm_sizes";
    }
    return text;
}

}  // namespace

CollectiveInstances::CollectiveInstances(const Workload& workload, const Fold& fold,
                                         const RankShare& share)
    : workload_(workload),
      fold_(fold),
      share_(share),
      members_(workload.ranks()),
      groups_(workload.groups.size()) {
    for (std::size_t group = 0; group < workload.groups.size(); ++group) {
        const std::vector<Rank>& ranks = workload.groups[group].ranks;
        for (std::size_t member = 0; member < ranks.size(); ++member) {
            members_[ranks[member].index()].push_back(
                {static_cast<std::int32_t>(group), static_cast<std::int32_t>(member), -1});
        }
    }
    for (std::size_t rank = 0; rank < workload.ranks(); ++rank) {
        const std::vector<std::int32_t>& slots = workload.bindings[rank].groups;
        for (std::size_t slot = 0; slot < slots.size(); ++slot) {
            const Membership* place = find(slots[slot], Rank(rank));
            members_[rank][static_cast<std::size_t>(place - members_[rank].data())].slot =
                static_cast<std::int32_t>(slot);
        }
    }
}

const CollectiveInstances::Membership* CollectiveInstances::find(std::int32_t group,
                                                                 Rank rank) const {
    const auto& list = members_[rank.index()];
    const auto found = std::lower_bound(list.begin(), list.end(), group,
                                        [](const Membership& membership, std::int32_t wanted) {
                                            return membership.group < wanted;
                                        });
    assert(found != list.end() && found->group == group && "checked when the workload was made");
    return &*found;
}

const std::vector<std::uint32_t>& CollectiveInstances::operations_of(std::int32_t group,
                                                                     Rank rank) const {
    static const std::vector<std::uint32_t> nothing;
    const std::int32_t slot = find(group, rank)->slot;
    return slot < 0 ? nothing
                    : workload_.program(rank).collectives_of[static_cast<std::size_t>(slot)];
}

std::size_t CollectiveInstances::member_of(std::int32_t group, Rank rank) const {
    return static_cast<std::size_t>(find(group, rank)->member);
}

Rank CollectiveInstances::root_of(std::size_t group, const ProgramOperation& operation) const {
    return operation.root < 0
               ? Rank()
               : workload_.groups[group].ranks[static_cast<std::size_t>(operation.root)];
}

void CollectiveInstances::check_agreement(const CollectiveInstance& instance, Rank rank,
                                          const ProgramOperation& operation,
                                          const std::string& name) const {
    const bool unequal = !operation.sizes.empty();
    const bool same_size = instance.result.bytes == operation.bytes || unequal;
    const Rank root = root_of(static_cast<std::size_t>(instance.group), operation);
    if (instance.kind == operation.collective && same_size && instance.root == root &&
        instance.unequal == unequal) {
        return;
    }
    const Group& group = workload_.groups[static_cast<std::size_t>(instance.group)];
    throw StallError(fmt::format(
        "the members of communicator '{}' disagree about their next collective: rank {} runs {} "
        "(node {} '{}'), rank {} runs {} (node {} '{}'). All members of a communicator must run "
        "the same collectives in the same order; check the traces",
        group.name, rank.value(), described(operation.collective, operation.bytes, root, unequal),
        workload_.node_of(rank, operation), name, instance.first_rank.value(),
        described(instance.kind, instance.result.bytes, instance.root, instance.unequal),
        instance.first_node, instance.result.name));
}

void CollectiveInstances::check_others(const CollectiveInstance& instance) const {
    for (const Rank rank : workload_.groups[static_cast<std::size_t>(instance.group)].ranks) {
        const std::uint32_t number = share_.has(rank) ? no_operation : operation_of(instance, rank);
        if (number != no_operation) {
            const RankProgram& program = workload_.program(rank);
            check_agreement(instance, rank, program.operations[number], program.names[number]);
        }
    }
}

std::uint32_t CollectiveInstances::at(std::int32_t group, std::uint64_t number) {
    GroupState& state = groups_[static_cast<std::size_t>(group)];
    const std::vector<Rank>& ranks = workload_.groups[static_cast<std::size_t>(group)].ranks;
    if (state.simulated == 0) {
        state.simulated = static_cast<std::size_t>(std::count_if(
            ranks.begin(), ranks.end(), [this](Rank rank) { return simulates(rank); }));
    }
    const auto make = [&](std::uint64_t its_number) {
        CollectiveInstance instance;
        instance.group = group;
        instance.number = its_number;
        instance.expected = state.simulated;
        instance.run_of_member.assign(ranks.size(), CollectiveInstance::no_run);
        if (!fold_.trivial()) {
            instance.starts.resize(ranks.size());
            instance.ends.resize(ranks.size());
        }
        instances_.push_back(std::move(instance));
        return static_cast<std::uint32_t>(instances_.size() - 1);
    };
    while (state.instances.size() <= number) {
        state.instances.push_back(make(state.instances.size()));
    }
    if (state.instances[number] == CollectiveInstance::no_run) {
        state.instances[number] = make(number);
    }
    return state.instances[number];
}

void CollectiveInstances::skip_to(std::int32_t group, std::uint64_t number) {
    GroupState& state = groups_[static_cast<std::size_t>(group)];
    state.started_by_member.assign(workload_.groups[static_cast<std::size_t>(group)].ranks.size(),
                                   number);
    state.instances.resize(std::max<std::size_t>(state.instances.size(), number + 1),
                           CollectiveInstance::no_run);
    state.instances[number] = CollectiveInstance::no_run;
}

std::uint32_t CollectiveInstances::join(Rank rank, std::size_t member,
                                        const ProgramOperation& operation, const std::string& name,
                                        Time now) {
    const std::size_t group = workload_.group_of(rank, operation);
    GroupState& state = groups_[group];
    state.started_by_member.resize(workload_.groups[group].ranks.size(), 0);
    const std::uint32_t index =
        at(static_cast<std::int32_t>(group), state.started_by_member[member]++);
    CollectiveInstance& instance = instances_[index];
    if (!instance.joined) {
        instance.joined = true;
        instance.kind = operation.collective;
        instance.root = root_of(group, operation);
        instance.unequal = !operation.sizes.empty();
        instance.first_rank = rank;
        instance.first_node = workload_.node_of(rank, operation);
        instance.named_by = member;
        instance.result.name = name;
        instance.result.type = name_of(operation.collective);
        instance.result.bytes = operation.bytes;
        instance.result.first_start = now;
        if (!share_.whole()) {
            check_others(instance);
        }
    }
    check_agreement(instance, rank, operation, name);
    if (member < instance.named_by) {
        instance.named_by = member;
        instance.result.name = name;
        instance.result.bytes = operation.bytes;
    }
    instance.result.last_start = now;
    if (!instance.starts.empty()) {
        instance.starts[member] = now;
    }
    return index;
}

bool CollectiveInstances::leave(std::uint32_t index, std::size_t member, Time now) {
    CollectiveInstance& instance = instances_[index];
    instance.result.end = now;
    if (!instance.ends.empty()) {
        instance.ends[member] = now;
    }
    if (++instance.finished < instance.expected) {
        return false;
    }
    // No member is left in it: what remains is the result.
    instance.run_of_member = {};
    return true;
}

std::vector<CollectiveResult> CollectiveInstances::results(CollectiveBounds& bounds) const {
    return list_results([this, &bounds](std::int32_t group, std::uint64_t number) {
        return result_of(group, number, bounds);
    });
}

std::vector<CollectiveResult> CollectiveInstances::results(CollectiveBounds& bounds,
                                                           const PartOf& part_of) const {
    return list_results([&](std::int32_t group, std::uint64_t number) {
        return result_by_parts(group, number, bounds, part_of);
    });
}

std::vector<CollectiveResult> CollectiveInstances::list_results(const ResultOf& result_of) const {
    struct Entry {
        CollectiveResult result;
        Rank lowest;
        std::int32_t group;
        std::uint64_t number;
    };
    std::vector<Entry> entries;
    const bool everyone = lists_everyone(workload_, fold_);
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        const std::vector<Rank>& ranks = workload_.groups[group].ranks;
        const bool listed = everyone || std::any_of(ranks.begin(), ranks.end(), [this](Rank rank) {
                                return fold_.represents(rank);
                            });
        for (std::uint64_t number = 0; listed; ++number) {
            std::optional<CollectiveResult> result =
                result_of(static_cast<std::int32_t>(group), number);
            if (!result) {
                break;
            }
            result->group = ranks;
            entries.push_back({std::move(*result), *std::min_element(ranks.begin(), ranks.end()),
                               static_cast<std::int32_t>(group), number});
        }
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.result.first_start, a.lowest, a.group, a.number) <
               std::tie(b.result.first_start, b.lowest, b.group, b.number);
    });
    std::vector<CollectiveResult> list;
    for (Entry& entry : entries) {
        CollectiveResult& result = entry.result;
        result.id = static_cast<std::int64_t>(list.size());
        result.bandwidth_gbps = gbps(result.bytes, result.end - result.last_start);
        result.bandwidth_bound_gbps = gbps(result.bytes, result.least);
        list.push_back(std::move(result));
    }
    return list;
}

std::optional<CollectiveResult> CollectiveInstances::result_of(std::int32_t group,
                                                               std::uint64_t number,
                                                               CollectiveBounds& bounds) const {
    const std::vector<Rank>& ranks = workload_.groups[static_cast<std::size_t>(group)].ranks;
    if (fold_.trivial()) {
        const GroupState& state = groups_[static_cast<std::size_t>(group)];
        if (number >= state.instances.size()) {
            return std::nullopt;
        }
        const CollectiveInstance& instance = instances_[state.instances[number]];
        CollectiveResult result = instance.result;
        if (!instance.unequal) {
            result.least = bounds.least_time(instance.kind, ranks, result.bytes, instance.root);
        }
        return result;
    }
    return result_by_parts(group, number, bounds,
                           [this](std::int32_t of, std::uint64_t which, std::size_t member) {
                               return part_like(of, which, member);
                           });
}

std::optional<CollectiveInstances::Part> CollectiveInstances::part_like(std::int32_t group,
                                                                        std::uint64_t number,
                                                                        std::size_t member) const {
    const Rank rank = workload_.groups[static_cast<std::size_t>(group)].ranks[member];
    const std::int32_t like = fold_.group_like(group, rank);
    const GroupState& state = groups_[static_cast<std::size_t>(like)];
    if (number >= state.instances.size()) {
        return std::nullopt;
    }
    const CollectiveInstance& instance = instances_[state.instances[number]];
    const std::size_t place = member_of(like, fold_.representative(rank));
    return Part{instance.starts[place], instance.ends[place], instance.result.algorithm};
}

std::optional<CollectiveResult> CollectiveInstances::result_by_parts(std::int32_t group,
                                                                     std::uint64_t number,
                                                                     CollectiveBounds& bounds,
                                                                     const PartOf& part_of) const {
    const std::vector<Rank>& ranks = workload_.groups[static_cast<std::size_t>(group)].ranks;
    std::optional<CollectiveResult> result;
    for (std::size_t member = 0; member < ranks.size(); ++member) {
        const std::vector<std::uint32_t>& operations = operations_of(group, ranks[member]);
        const std::optional<Part> part =
            number < operations.size() ? part_of(group, number, member) : std::nullopt;
        if (!part) {
            return std::nullopt;
        }
        if (!result) {
            const RankProgram& program = workload_.program(ranks[member]);
            const ProgramOperation& operation = program.operations[operations[number]];
            result.emplace();
            result->name = program.names[operations[number]];
            result->type = name_of(operation.collective);
            result->algorithm = part->algorithm;
            result->bytes = operation.bytes;
            if (operation.sizes.empty()) {
                result->least =
                    bounds.least_time(operation.collective, ranks, operation.bytes,
                                      root_of(static_cast<std::size_t>(group), operation));
            }
            result->first_start = result->last_start = part->start;
            result->end = part->end;
        }
        result->first_start = std::min(result->first_start, part->start);
        result->last_start = std::max(result->last_start, part->start);
        result->end = std::max(result->end, part->end);
    }
    return result;
}

std::string CollectiveInstances::explain(Rank rank, std::int32_t group_number) const {
    const Group& group = workload_.groups[static_cast<std::size_t>(group_number)];
    const GroupState& state = groups_[static_cast<std::size_t>(group_number)];
    const std::size_t member = member_of(group_number, rank);
    const std::uint64_t number = state.started_by_member[member];
    std::string absent;
    std::size_t count = 0;
    for (std::size_t other = 0; other < group.ranks.size(); ++other) {
        if (simulates(group.ranks[other]) && state.started_by_member[other] < number) {
            ++count;
            if (count <= 8) {
                absent +=
                    fmt::format("{}{}", absent.empty() ? "" : ", ", group.ranks[other].value());
            }
        }
    }
    if (count == 0) {
        return "messages of the collective that are still in flight";
    }
    return fmt::format(
        "rank{} {}{} of communicator '{}', not yet at this collective (its number {} "
        "there)",
        count == 1 ? "" : "s", absent, count > 8 ? ", ..." : "", group.name, number);
}

}  // namespace npunet::engine

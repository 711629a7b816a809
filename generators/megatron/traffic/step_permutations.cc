#include "generators/megatron/traffic/step_permutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/errors.h"

namespace npunet::generators::megatron {

namespace {

constexpr std::array<GroupRole, 4> axes = {GroupRole::Pipeline, GroupRole::Context, GroupRole::Data,
                                           GroupRole::Tensor};

/// Roles whose names are given together where they have the same ranks.
constexpr std::array<GroupRole, 6> usual_roles = {GroupRole::World, GroupRole::Tensor,
                                                  GroupRole::Data,  GroupRole::Pipeline,
                                                  GroupRole::Model, GroupRole::Embedding};

std::uint32_t bit_of(GroupRole role) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(role);
}

bool is_all_to_all(Operation operation) {
    return operation == Operation::AllToAll || operation == Operation::AllToAllSingle;
}

/// Between one rank and all others of the group.
bool has_centre(Operation operation) {
    return operation == Operation::Scatter || operation == Operation::Gather;
}

/// What one rank of a group does in round `round`, counted from 1.
void append_round(Permutation& pairs, Operation operation, const std::vector<Rank>& ranks,
                  Rank root, std::size_t round) {
    const std::size_t size = ranks.size();
    for (std::size_t k = 0; k < size; ++k) {
        const Rank from = ranks[k];
        const Rank to = ranks[(k + round) % size];
        if (!has_centre(operation)) {
            pairs.emplace_back(from, to);
        } else if (from == root) {
            pairs.emplace_back(operation == Operation::Scatter ? std::pair(from, to)
                                                               : std::pair(to, from));
        }
    }
}

}  // namespace

const std::vector<std::string>& permutation_assumptions() {
    static const std::vector<std::string> sentences = {
        "a collective is the ring of its group, each rank to the next, in the group's order; an "
        "all-to-all is one permutation for each distance in that ring, scatter and gather one for "
        "each rank other than the root",
        "every member makes the calls that the group's first rank logs",
        "the n-th calls of one phase, operation, kind of group and size run at the same time in "
        "all groups that make them, and the same for messages along one axis",
        "bytes are those of the tensors that the ranks hand over (all-to-all: divided by the "
        "group's size), times the number of calls, whatever the algorithm of the collective",
        "phases that logs do not name follow from the position in the log"};
    return sentences;
}

StepPermutations::StepPermutations(const ProcessGroups& groups, GroupTable& table)
    : groups_(groups), table_(table), places_(static_cast<std::size_t>(groups.world())) {
    for (std::size_t number = 0; number < group_roles; ++number) {
        const auto role = static_cast<GroupRole>(number);
        for (const std::vector<Rank>& ranks : groups.all(role)) {
            const auto group = static_cast<std::size_t>(table.add(ranks));
            roles_.resize(std::max(roles_.size(), group + 1));
            roles_[group] |= bit_of(role);
        }
    }
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        for (const std::vector<Rank>& ranks : groups.all(axes[axis])) {
            for (std::size_t place = 0; place < ranks.size(); ++place) {
                places_[ranks[place].index()][axis] = static_cast<std::int64_t>(place);
            }
        }
    }
}

std::string StepPermutations::group_name(std::int32_t group) const {
    const auto number = static_cast<std::size_t>(group);
    const std::uint32_t roles = number < roles_.size() ? roles_[number] : 0;
    std::string name;
    for (const GroupRole role : usual_roles) {
        if ((roles & bit_of(role)) != 0) {
            name.append(name.empty() ? "" : "/").append(name_of(role));
        }
    }
    for (std::size_t role = 0; role < group_roles && name.empty(); ++role) {
        if ((roles & bit_of(static_cast<GroupRole>(role))) != 0) {
            name = name_of(static_cast<GroupRole>(role));
        }
    }
    return name.empty() ? "other" : name;
}

StepPermutations::Place StepPermutations::shift(Rank from, Rank to) const {
    const Parallelism& degrees = groups_.parallelism();
    const Place sizes = {degrees.pp, degrees.cp, degrees.dp, degrees.tp};
    Place shift{};
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        shift[axis] =
            (places_[to.index()][axis] - places_[from.index()][axis] + sizes[axis]) % sizes[axis];
    }
    return shift;
}

void StepPermutations::add(const std::vector<StepCall>& calls) {
    for (const StepCall& call : calls) {
        Place place{};
        std::string name;
        Member member{call.group, call.peer, Rank()};
        if (call.group < 0) {
            place = shift(call.owner, call.peer);
            for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                if (place[axis] != 0) {
                    name.append(name.empty() ? "" : "+").append(name_of(axes[axis]));
                }
            }
            member = {-1, call.owner, call.peer};
        } else if (table_.ranks(call.group).front() != call.owner) {
            continue;
        } else {
            name = group_name(call.group);
        }
        const std::size_t number = patterns_.size();
        const auto [found, is_new] = patterns_.try_emplace(
            Pattern{call.phase, call.operation, std::move(name), call.bytes, place});
        if (is_new) {
            found->second.number = number;
        }
        ++found->second.calls[member];
    }
}

std::vector<Permutation> StepPermutations::rounds(Operation operation,
                                                  const std::vector<Member>& members) const {
    std::vector<Permutation> rounds(1);
    for (const auto& [group, first, second] : members) {
        if (group < 0) {
            rounds[0].emplace_back(first, second);
            continue;
        }
        const std::vector<Rank>& ranks = table_.ranks(group);
        const bool several = is_all_to_all(operation) || has_centre(operation);
        const std::size_t count = several ? ranks.size() - 1 : 1;
        rounds.resize(std::max(rounds.size(), count));
        for (std::size_t round = 0; round < count; ++round) {
            append_round(rounds[round], operation, ranks, first, round + 1);
        }
    }
    return rounds;
}

void StepPermutations::append(std::vector<StepPermutation>& list, const Pattern& pattern,
                              const Occurrences& occurrences) const {
    const auto& [phase, operation, name, call_bytes, place] = pattern;
    std::set<std::int64_t> counts;
    for (const auto& [member, calls] : occurrences.calls) {
        counts.insert(calls);
    }
    // Who makes ten calls while others make eight: eight together, then two alone.
    std::int64_t before = 0;
    for (const std::int64_t count : counts) {
        std::vector<Member> members;
        for (const auto& [member, calls] : occurrences.calls) {
            if (calls >= count) {
                members.push_back(member);
            }
        }
        std::sort(members.begin(), members.end(), [&](const Member& a, const Member& b) {
            const auto& [group_a, first_a, second_a] = a;
            const auto& [group_b, first_b, second_b] = b;
            return group_a < 0 || group_a == group_b
                       ? std::pair(first_a, second_a) < std::pair(first_b, second_b)
                       : table_.ranks(group_a) < table_.ranks(group_b);
        });
        const std::int64_t calls = count - before;
        std::int64_t bytes = call_bytes;
        if (is_all_to_all(operation)) {
            const auto size = static_cast<std::int64_t>(
                table_.ranks(std::get<std::int32_t>(members.front())).size());
            bytes = (bytes + size / 2) / size;
        }
        if (bytes > std::numeric_limits<std::int64_t>::max() / calls) {
            throw InputError({"", fmt::format("{} calls of {}", calls, name_of(operation)),
                              fmt::format("{} bytes each", bytes), "less than 2^63 bytes in a step",
                              ""});
        }
        for (Permutation& pairs : rounds(operation, members)) {
            list.push_back({phase, operation, name, calls, calls * bytes, std::move(pairs)});
        }
        before = count;
    }
}

std::vector<StepPermutation> StepPermutations::list() const {
    std::vector<std::pair<const Pattern*, const Occurrences*>> ordered;
    for (const auto& [pattern, occurrences] : patterns_) {
        ordered.emplace_back(&pattern, &occurrences);
    }
    std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
        return std::pair(std::get<Phase>(*a.first), a.second->number) <
               std::pair(std::get<Phase>(*b.first), b.second->number);
    });
    std::vector<StepPermutation> list;
    for (const auto& [pattern, occurrences] : ordered) {
        append(list, *pattern, *occurrences);
    }
    return list;
}

}  // namespace npunet::generators::megatron

#include "study/collective_choices.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace npunet::study {

namespace {

using engine::CollectiveChoice;
using engine::ProgramOperation;
using engine::TimedAlgorithm;

bool is_same(const TimedAlgorithm& a, const TimedAlgorithm& b) {
    return a.name == b.name && a.chunks == b.chunks && a.active == b.active && a.time == b.time;
}

bool is_same(const CollectiveChoice& a, const CollectiveChoice& b) {
    return a.kind == b.kind && a.bytes == b.bytes && a.group.size() == b.group.size() &&
           is_same(a.chosen, b.chosen) &&
           std::equal(a.others.begin(), a.others.end(), b.others.begin(), b.others.end(),
                      [](const TimedAlgorithm& one, const TimedAlgorithm& other) {
                          return is_same(one, other);
                      });
}

/// A choice, and the groups that it was made for: with another root it is the same group.
struct Told {
    CollectiveChoice choice;
    std::set<std::size_t> groups;
};

void add(std::vector<Told>& list, CollectiveChoice choice, std::size_t group) {
    const auto known = std::find_if(
        list.begin(), list.end(), [&](const Told& other) { return is_same(other.choice, choice); });
    if (known == list.end()) {
        list.push_back({std::move(choice), {group}});
    } else {
        known->groups.insert(group);
    }
}

}  // namespace

std::vector<CollectiveChoice> collective_choices(const engine::Workload& workload,
                                                 engine::CollectivePlanner& planner) {
    std::set<std::tuple<std::size_t, engine::CollectiveKind, std::int64_t, std::int32_t>> seen;
    std::vector<Told> list;
    for (std::size_t number = 0; number < workload.ranks(); ++number) {
        const Rank rank(number);
        for (const ProgramOperation& operation : workload.program(rank).operations) {
            if (!engine::exchanges_messages(operation)) {
                continue;
            }
            const std::size_t group = workload.group_of(rank, operation);
            // All members do the same: the first one speaks for them.
            if (workload.groups[group].ranks.front() != rank ||
                !seen.emplace(group, operation.collective, operation.bytes.value(), operation.root)
                     .second) {
                continue;
            }
            if (std::optional<CollectiveChoice> choice = planner.choice(rank, operation)) {
                add(list, *std::move(choice), group);
            }
        }
    }
    std::vector<CollectiveChoice> choices;
    for (Told& told : list) {
        choices.push_back(std::move(told.choice));
        choices.back().groups = told.groups.size();
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const CollectiveChoice& a, const CollectiveChoice& b) {
                         return std::tie(a.kind, a.bytes) < std::tie(b.kind, b.bytes);
                     });
    return choices;
}

std::vector<CollectiveChoice> collective_choices(const engine::Workload& workload,
                                                 const Machine& machine) {
    engine::CollectivePlanner planner(machine.network, machine.system, machine.dialect, workload);
    return collective_choices(workload, planner);
}

}  // namespace npunet::study

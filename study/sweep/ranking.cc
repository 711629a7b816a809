#include "study/sweep/ranking.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "study/sweep/parameters.h"

namespace npunet::study {

namespace {

using Outcomes = std::vector<std::optional<Outcome>>;

std::vector<std::pair<std::string, std::string>> task_of(const DesignSpace& space,
                                                         const Point& point,
                                                         const std::vector<std::string>& names) {
    std::vector<std::pair<std::string, std::string>> task;
    for (const std::string& name : names) {
        task.emplace_back(name, space.find(point, name)->text);
    }
    return task;
}

/// The columns that make the task.
std::vector<std::string> task_columns(const DesignSpace& space) {
    std::set<std::string> tasks;
    for (const Parameter& parameter : parameters_of(space.kind)) {
        if (parameter.task) {
            tasks.insert(parameter.name);
        }
    }
    std::vector<std::string> names = space.columns();
    names.erase(std::remove_if(names.begin(), names.end(),
                               [&](const std::string& name) { return tasks.count(name) == 0; }),
                names.end());
    return names;
}

/// Points by time, then memory, then number: whoever is not beaten in memory by those before it is
/// on the front.
std::vector<std::size_t> front_of(const std::vector<std::size_t>& sorted,
                                  const Outcomes& outcomes) {
    std::vector<std::size_t> front;
    const bool any_known = std::any_of(sorted.begin(), sorted.end(), [&](std::size_t number) {
        return outcomes[number]->memory_known();
    });
    for (const std::size_t number : sorted) {
        const Outcome& outcome = *outcomes[number];
        if (any_known && !outcome.memory_known()) {
            continue;
        }
        const Figures& own = outcome.largest;
        const Figures* last = front.empty() ? nullptr : &outcomes[front.back()]->largest;
        const bool equal =
            last != nullptr && own.finish == last->finish && own.peak_memory == last->peak_memory;
        if (last == nullptr || equal || own.peak_memory < last->peak_memory) {
            front.push_back(number);
        }
    }
    return front;
}

void rank_group(Group& group, const Outcomes& outcomes, const std::optional<Bytes>& limit) {
    // Unknown memory goes behind: it cannot be better.
    const auto key = [&](std::size_t number) {
        const Outcome& outcome = *outcomes[number];
        return std::make_tuple(outcome.largest.finish, !outcome.memory_known(),
                               outcome.largest.peak_memory, number);
    };
    std::sort(group.points.begin(), group.points.end(),
              [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    group.pareto = front_of(group.points, outcomes);
    std::stable_partition(group.points.begin(), group.points.end(), [&](std::size_t number) {
        return fits_memory(*outcomes[number], limit).value_or(true);
    });
    group.best = group.points.front();
    const auto within = [&](std::size_t number) {
        const Outcome& outcome = *outcomes[number];
        return !limit || (outcome.memory_known() && outcome.largest.peak_memory <= *limit);
    };
    const auto found = std::find_if(group.points.begin(), group.points.end(), within);
    if (found != group.points.end()) {
        group.best_within_limit = *found;
    }
}

}  // namespace

Ranking rank_points(const DesignSpace& space, const Outcomes& outcomes) {
    const std::vector<std::string> names = task_columns(space);
    Ranking ranking;
    std::map<std::vector<std::pair<std::string, std::string>>, std::size_t> position;
    const std::size_t count = std::min(space.points.size(), outcomes.size());
    for (std::size_t number = 0; number < count; ++number) {
        if (!outcomes[number] || !outcomes[number]->ok()) {
            continue;
        }
        auto task = task_of(space, space.points[number], names);
        const auto [entry, is_new] = position.emplace(task, ranking.groups.size());
        if (is_new) {
            ranking.groups.push_back({std::move(task), {}, {}, {}, {}});
        }
        ranking.groups[entry->second].points.push_back(number);
    }
    for (Group& group : ranking.groups) {
        rank_group(group, outcomes, space.memory_limit);
    }
    return ranking;
}

}  // namespace npunet::study

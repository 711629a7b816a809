#include "study/sweep/sweep_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.h"

namespace npunet::study {

namespace {

/// Parts that differ by less than this part of the whole difference are left out.
constexpr std::int64_t one_in = 10;
constexpr std::size_t most_parts = 4;

std::string signed_time(Time a, Time b) {
    return a < b ? "-" + format_time(b - a) : "+" + format_time(a - b);
}

/// "idle +3.32 ms, TP -1.6 ms": how much more a rank spends than another, largest first.
std::string differences(const SlowestRank& rank, const SlowestRank& best) {
    struct Difference {
        std::string name;
        Time own;
        Time other;
        [[nodiscard]] std::int64_t ps() const { return own.ps() - other.ps(); }
        [[nodiscard]] std::int64_t amount() const { return ps() < 0 ? -ps() : ps(); }
    };
    std::vector<Difference> list;
    const std::vector<std::pair<std::string, Time>> theirs = parts_of_time(best);
    for (std::size_t i = 0; const auto& [name, time] : parts_of_time(rank)) {
        list.push_back({name, time, theirs[i++].second});
    }
    const std::int64_t least = (rank.finish.ps() - best.finish.ps()) / one_in;
    std::erase_if(list,
                  [&](const Difference& one) { return one.amount() == 0 || one.amount() < least; });
    std::stable_sort(list.begin(), list.end(), [](const Difference& a, const Difference& b) {
        return std::pair(a.amount(), a.ps()) > std::pair(b.amount(), b.ps());
    });
    list.resize(std::min(list.size(), most_parts));
    std::string text;
    for (const Difference& one : list) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one.name,
                            signed_time(one.own, one.other));
    }
    return text;
}

std::string composition(const SlowestRank& rank) {
    std::string text;
    for (const auto& [name, time] : parts_of_time(rank)) {
        if (time > Time()) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, format_time(time));
        }
    }
    return text;
}

std::string count_of_points(std::size_t count) {
    return count == 1 ? "1 point is" : fmt::format("{} points are", count);
}

bool fits(const DesignSpace& space, const SweepResults& results, std::size_t number) {
    return fits_memory(*results.outcomes[number], space.memory_limit).value_or(true);
}

/// Those that are faster than the best one and do not fit.
std::string fit_reason(const DesignSpace& space, const SweepResults& results, const Group& group) {
    if (!fits(space, results, *group.best)) {
        return "  no point fits the memory of the NPUs\n";
    }
    const Time best = results.outcomes[*group.best]->largest.finish;
    const auto faster = static_cast<std::size_t>(
        std::count_if(group.points.begin(), group.points.end(), [&](std::size_t number) {
            return results.outcomes[number]->largest.finish < best && !fits(space, results, number);
        }));
    return faster == 0 ? ""
                       : fmt::format("  {} faster, but {} more memory than the NPUs have\n",
                                     count_of_points(faster), faster == 1 ? "needs" : "need");
}

/// Those that are faster than the best one within the limit.
std::string memory_reason(const DesignSpace& space, const Group& group) {
    if (!space.memory_limit || group.best_within_limit == group.best) {
        return "";
    }
    const std::string limit = format_bytes(*space.memory_limit);
    if (!group.best_within_limit) {
        return fmt::format("  no point is known to stay within {} of memory\n", limit);
    }
    const auto faster =
        std::find(group.points.begin(), group.points.end(), *group.best_within_limit) -
        group.points.begin();
    return fmt::format("  {}: the fastest that is known to stay within {} of memory; {} faster\n",
                       space.describe(space.points[*group.best_within_limit]), limit,
                       count_of_points(static_cast<std::size_t>(faster)));
}

}  // namespace

std::vector<std::pair<std::string, Time>> parts_of_time(const SlowestRank& rank) {
    std::vector<std::pair<std::string, Time>> parts{{"compute", rank.compute}};
    Time known;
    for (const engine::Parallelism dimension : engine::parallelism_by_precedence) {
        const Time exposed = rank.exposed_by_dimension[static_cast<std::size_t>(dimension)];
        if (dimension != engine::Parallelism::Other) {
            parts.emplace_back(fmt::format("exposed {}", name_of(dimension)), exposed);
            known += exposed;
        }
    }
    parts.emplace_back(known > Time() ? "other exposed communication" : "exposed communication",
                       rank.exposed_communication - known);
    parts.emplace_back("exposed memory", rank.exposed_memory);
    parts.emplace_back("idle", rank.idle);
    return parts;
}

std::string sweep_reasons(const DesignSpace& space, const SweepResults& results, const Group& group,
                          std::size_t most) {
    if (group.points.size() < 2 || !group.best) {
        return "";
    }
    const SlowestRank& best = results.outcomes[*group.best]->slowest;
    std::string text = fmt::format("why {}: {} = {}\n", space.describe(space.points[*group.best]),
                                   format_time(best.finish), composition(best));
    std::size_t left = most;
    for (const std::size_t number : group.points) {
        const bool compared = fits(space, results, number) || !fits(space, results, *group.best);
        if (number == *group.best || left == 0 || !compared) {
            continue;
        }
        --left;
        const SlowestRank& other = results.outcomes[number]->slowest;
        const std::string what = differences(other, best);
        text += fmt::format(
            "  {}: {}{}{}\n", space.describe(space.points[number]),
            other.finish == best.finish ? "as long" : signed_time(other.finish, best.finish),
            what.empty() ? "" : ": ", what);
    }
    return text + fit_reason(space, results, group) + memory_reason(space, group);
}

}  // namespace npunet::study

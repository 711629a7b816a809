#include "report/timeline/timeline_excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace npunet::report {

namespace {

using analysis::RunTimeline;

/// Ranks, the most telling ones first.
std::vector<Rank> by_preference(const std::vector<engine::NpuResult>& npus) {
    std::vector<Rank> ranks;
    std::set<std::int32_t> classes;
    const auto last = std::max_element(
        npus.begin(), npus.end(),
        [](const engine::NpuResult& a, const engine::NpuResult& b) { return a.finish < b.finish; });
    if (last != npus.end()) {
        ranks.push_back(last->rank);
        classes.insert(last->npu_class);
    }
    std::vector<Rank> others;
    for (const engine::NpuResult& npu : npus) {
        if (npu.rank != ranks.front()) {
            (classes.insert(npu.npu_class).second ? ranks : others).push_back(npu.rank);
        }
    }
    ranks.insert(ranks.end(), others.begin(), others.end());
    return ranks;
}

/// Those that fit, ascending.
std::vector<Rank> chosen(const RunTimeline& timeline, const std::vector<engine::NpuResult>& npus,
                         std::size_t most) {
    std::vector<Rank> ranks;
    std::size_t rows = 0;
    for (const Rank rank : by_preference(npus)) {
        const auto [first, second] = timeline.rows_of(rank);
        const bool fits = rows + second - first <= most;
        if (second > first && (fits || ranks.empty())) {
            rows += second - first;
            ranks.push_back(rank);
        }
        if (!fits && rows > most) {
            break;
        }
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

}  // namespace

std::optional<RunTimeline> excerpt_of(const RunTimeline& timeline,
                                      const std::vector<engine::NpuResult>& npus,
                                      std::size_t most) {
    if (timeline.intervals.size() <= most || npus.empty()) {
        return std::nullopt;
    }
    RunTimeline kept;
    kept.label = timeline.label;
    kept.source = timeline.source;
    kept.names = timeline.names;
    kept.groups = timeline.groups;
    kept.load = timeline.load;
    kept.length = timeline.length;
    kept.notes = timeline.notes;
    const std::vector<Rank> ranks = chosen(timeline, npus, most);
    std::size_t left_out = 0;
    for (const Rank rank : ranks) {
        const auto [first, second] = timeline.rows_of(rank);
        const std::size_t end = std::min(second, first + most);
        left_out += second - end;
        for (std::size_t row = first; row < end; ++row) {
            kept.intervals.add(timeline.intervals[row]);
        }
    }
    std::string note =
        fmt::format("the timeline has {} of {} NPUs ({} of {} intervals)", ranks.size(),
                    timeline.ranks().size(), kept.intervals.size(), timeline.intervals.size());
    if (left_out > 0) {
        note += fmt::format(", without the last {} of rank {}", left_out, ranks.front().value());
    }
    kept.notes.push_back(note + "; --timeline full keeps all");
    return kept;
}

}  // namespace npunet::report

#include "report/timeline/timeline_excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace npunet::report {

namespace {

using analysis::Interval;
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

/// Those that fit, ascending; the first one where none does.
std::vector<Rank> chosen(const RunTimeline& timeline, const std::vector<engine::NpuResult>& npus,
                         std::size_t most) {
    std::vector<Rank> ranks;
    std::size_t rows = 0;
    const std::vector<Rank> preferred = by_preference(npus);
    for (const Rank rank : preferred) {
        const auto [first, second] = timeline.rows_of(rank);
        if (second > first && rows + second - first <= most) {
            rows += second - first;
            ranks.push_back(rank);
        }
    }
    if (ranks.empty()) {
        ranks.push_back(preferred.front());
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

/// Numbers from 0 on in place of those of a larger timeline.
class Joints {
public:
    [[nodiscard]] std::int32_t number(std::int32_t joint) {
        if (joint == Interval::none) {
            return joint;
        }
        return numbers_.try_emplace(joint, static_cast<std::int32_t>(numbers_.size()))
            .first->second;
    }

private:
    std::unordered_map<std::int32_t, std::int32_t> numbers_;
};

constexpr std::string_view beginning_of_note = "the timeline has ";

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
    Joints joints;
    std::size_t left_out = 0;
    for (const Rank rank : ranks) {
        const auto [first, second] = timeline.rows_of(rank);
        const std::size_t end = std::min(second, first + most);
        left_out += second - end;
        for (std::size_t row = first; row < end; ++row) {
            Interval interval = timeline.intervals[row];
            interval.joint = joints.number(interval.joint);
            kept.intervals.add(interval);
        }
    }
    std::string note =
        fmt::format("{}{} of {} NPUs ({} of {} intervals)", beginning_of_note, ranks.size(),
                    timeline.ranks().size(), kept.intervals.size(), timeline.intervals.size());
    if (left_out > 0) {
        note += fmt::format(", without the last {} of rank {}", left_out, ranks.front().value());
    }
    kept.notes.push_back(note + "; --timeline full keeps all");
    return kept;
}

const std::string* note_of_excerpt(const RunTimeline& timeline) {
    for (const std::string& note : timeline.notes) {
        if (note.compare(0, beginning_of_note.size(), beginning_of_note) == 0) {
            return &note;
        }
    }
    return nullptr;
}

}  // namespace npunet::report

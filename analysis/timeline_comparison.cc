#include "analysis/timeline_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "engine/npu/interval_union.h"

namespace npunet::analysis {

namespace {

using RowKey = std::tuple<Phase, Category, Dimension>;

/// Time::max() where there is none.
Time first_start(const RunTimeline& timeline, bool forward) {
    Time first = Time::max();
    const Intervals& rows = timeline.intervals;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!forward ||
            (rows.category(row) == Category::Computation && rows.phase(row) == Phase::Forward)) {
            first = std::min(first, rows.start(row));
        }
    }
    return first;
}

void delay(RunTimeline& timeline, Time by) {
    timeline.intervals.move(by);
    timeline.length += by;
}

Time difference(const ComparedRow& row) {
    return std::max(row.time[0], row.time[1]) - std::min(row.time[0], row.time[1]);
}

/// Of the times of many ranks, whose sum may be beyond the clock.
class TimeSum {
public:
    void operator+=(Time time) { sum_ += time.ps(); }
    [[nodiscard]] Time over(std::size_t ranks) const {
        return Time::ps(
            static_cast<std::int64_t>(sum_ / static_cast<Wide>(std::max<std::size_t>(ranks, 1))));
    }

private:
    __extension__ using Wide = __int128;
    Wide sum_ = 0;
};

/// What all ranks did of one kind, in each of the runs.
struct SummedRow {
    std::array<std::size_t, 2> intervals{};
    std::array<TimeSum, 2> time;
};

/// Adds up what the ranks did in one of the runs.
class Summer {
public:
    Summer(const RunTimeline& timeline, std::size_t which, std::map<RowKey, SummedRow>& rows)
        : timeline_(timeline), which_(which), rows_(rows) {}

    void add(Rank rank) {
        std::map<RowKey, std::vector<engine::Interval>> spans;
        std::vector<engine::Interval> computation;
        std::vector<engine::Interval> communication;
        std::vector<engine::Interval> all;
        const Intervals& table = timeline_.intervals;
        const auto [first, end] = timeline_.rows_of(rank);
        for (std::size_t i = first; i < end; ++i) {
            const engine::Interval span{table.start(i), table.end(i)};
            spans[{table.phase(i), table.category(i), table.dimension(i)}].push_back(span);
            all.push_back(span);
            if (table.category(i) == Category::Computation) {
                computation.push_back(span);
            } else if (table.category(i) == Category::Communication) {
                communication.push_back(span);
            }
        }
        for (auto& [kind, list] : spans) {
            SummedRow& row = rows_[kind];
            row.intervals[which_] += list.size();
            row.time[which_] += engine::union_length(list);
        }
        const Time computing = engine::union_length(computation);
        communication.insert(communication.end(), computation.begin(), computation.end());
        const Time either = engine::union_length(communication);
        const Time busy = engine::union_length(all);
        computation_ += computing;
        exposed_communication_ += either - computing;
        other_ += busy - either;
        idle_ += timeline_.length - busy;
    }

    [[nodiscard]] RunTotals totals(std::size_t ranks) const {
        return {timeline_.length, computation_.over(ranks), exposed_communication_.over(ranks),
                other_.over(ranks), idle_.over(ranks)};
    }

private:
    const RunTimeline& timeline_;
    std::size_t which_;
    std::map<RowKey, SummedRow>& rows_;
    TimeSum computation_;
    TimeSum exposed_communication_;
    TimeSum other_;
    TimeSum idle_;
};

std::vector<Rank> without(const std::vector<Rank>& ranks, const std::vector<Rank>& others) {
    std::vector<Rank> list;
    std::set_difference(ranks.begin(), ranks.end(), others.begin(), others.end(),
                        std::back_inserter(list));
    return list;
}

void note_missing(TimelineComparison& found, const std::vector<Rank>& alone, const char* which) {
    if (!alone.empty()) {
        found.notes.push_back(fmt::format("{} {} of the {} run, from {} on, {} not compared",
                                          alone.size(), alone.size() == 1 ? "rank" : "ranks", which,
                                          alone.front().value(), alone.size() == 1 ? "is" : "are"));
    }
}

}  // namespace

void align(RunTimeline& first, RunTimeline& second) {
    Time a = first_start(first, true);
    Time b = first_start(second, true);
    if (a == Time::max() || b == Time::max()) {
        a = first_start(first, false);
        b = first_start(second, false);
    }
    if (a == Time::max() || b == Time::max()) {
        return;
    }
    if (a < b) {
        delay(first, b - a);
    } else if (b < a) {
        delay(second, a - b);
    }
}

TimelineComparison compare_timelines(const RunTimeline& first, const RunTimeline& second) {
    const std::vector<Rank> of_first = first.ranks();
    const std::vector<Rank> of_second = second.ranks();
    TimelineComparison found;
    std::map<RowKey, SummedRow> rows;
    Summer a(first, 0, rows);
    Summer b(second, 1, rows);
    for (const Rank rank : of_first) {
        if (std::binary_search(of_second.begin(), of_second.end(), rank)) {
            a.add(rank);
            b.add(rank);
            ++found.ranks;
        }
    }
    note_missing(found, without(of_first, of_second), "first");
    note_missing(found, without(of_second, of_first), "second");
    found.totals = {a.totals(found.ranks), b.totals(found.ranks)};
    for (const auto& [kind, sum] : rows) {
        ComparedRow& row = found.rows.emplace_back();
        std::tie(row.phase, row.category, row.dimension) = kind;
        row.intervals = sum.intervals;
        row.time = {sum.time[0].over(found.ranks), sum.time[1].over(found.ranks)};
    }
    std::stable_sort(
        found.rows.begin(), found.rows.end(),
        [](const ComparedRow& x, const ComparedRow& y) { return difference(x) > difference(y); });
    return found;
}

}  // namespace npunet::analysis

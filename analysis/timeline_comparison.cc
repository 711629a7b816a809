#include "analysis/timeline_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "engine/statistics.h"

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

/// Adds up what the ranks did in one of the runs.
class Summer {
public:
    Summer(const RunTimeline& timeline, std::size_t which, std::map<RowKey, ComparedRow>& rows)
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
            ComparedRow& row = rows_[kind];
            row.intervals[which_] += list.size();
            row.time[which_] += engine::union_length(list);
        }
        const Time computing = engine::union_length(computation);
        communication.insert(communication.end(), computation.begin(), computation.end());
        const Time either = engine::union_length(communication);
        const Time busy = engine::union_length(all);
        totals_.computation += computing;
        totals_.exposed_communication += either - computing;
        totals_.other += busy - either;
        totals_.idle += timeline_.length - busy;
    }

    [[nodiscard]] RunTotals totals(std::size_t ranks) const {
        RunTotals mean = totals_;
        const auto by = static_cast<std::int64_t>(std::max<std::size_t>(ranks, 1));
        for (Time* time :
             {&mean.computation, &mean.exposed_communication, &mean.other, &mean.idle}) {
            *time = Time::ps(time->ps() / by);
        }
        mean.length = timeline_.length;
        return mean;
    }

private:
    const RunTimeline& timeline_;
    std::size_t which_;
    std::map<RowKey, ComparedRow>& rows_;
    RunTotals totals_;
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
    std::map<RowKey, ComparedRow> rows;
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
    for (auto& [kind, row] : rows) {
        std::tie(row.phase, row.category, row.dimension) = kind;
        for (Time& time : row.time) {
            time = Time::ps(time.ps() / static_cast<std::int64_t>(found.ranks));
        }
        found.rows.push_back(row);
    }
    std::stable_sort(
        found.rows.begin(), found.rows.end(),
        [](const ComparedRow& x, const ComparedRow& y) { return difference(x) > difference(y); });
    return found;
}

}  // namespace npunet::analysis

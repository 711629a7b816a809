#include "report/timeline/activity_grid.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace npunet::report {

using analysis::RunTimeline;

std::vector<std::vector<Rank>> rows_of_ranks(const std::vector<Rank>& ranks,
                                             std::size_t most_rows) {
    const std::size_t each = std::max<std::size_t>(1, (ranks.size() + most_rows - 1) / most_rows);
    std::vector<std::vector<Rank>> rows;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (i % each == 0) {
            rows.emplace_back();
        }
        rows.back().push_back(ranks[i]);
    }
    return rows;
}

/// How long each activity went on in each column, in picoseconds of one rank.
class ActivityGrid::RowSums {
public:
    RowSums(std::size_t columns, Time length)
        : columns_(columns), length_(std::max<std::int64_t>(length.ps(), 1)), sums_(columns) {}

    void add(Activity activity, Time start, Time end) {
        const auto which = static_cast<std::size_t>(activity);
        const std::size_t first = column_of(start.ps());
        const std::size_t last = column_of(std::max(start.ps(), end.ps() - 1));
        for (std::size_t column = first; column <= last; ++column) {
            const std::int64_t from = std::max(start.ps(), begin_of(column));
            const std::int64_t to = std::min(end.ps(), begin_of(column + 1));
            // What takes no time leaves a trace, too.
            sums_[column][which] += std::max<std::int64_t>(to - from, 1);
        }
    }

    [[nodiscard]] Cell cell(std::size_t column, std::size_t band, std::size_t ranks) const {
        Cell cell;
        std::int64_t most = 0;
        std::int64_t busy = 0;
        for (std::size_t i = 0; i < activities; ++i) {
            const auto activity = static_cast<Activity>(i);
            const std::int64_t sum = sums_[column][i];
            if (band_of(activity) == band && sum > 0) {
                busy += sum;
                if (sum > most) {
                    most = sum;
                    cell.activity = activity;
                }
            }
        }
        if (busy > 0) {
            const double whole = static_cast<double>(begin_of(column + 1) - begin_of(column)) *
                                 static_cast<double>(ranks);
            const double share = std::min(1.0, static_cast<double>(busy) / std::max(whole, 1.0));
            cell.busy = static_cast<std::uint8_t>(
                std::max(1, static_cast<int>(std::lround(share * steps))));
        }
        return cell;
    }

private:
    __extension__ using Wide = __int128;

    [[nodiscard]] std::size_t column_of(std::int64_t time) const {
        const auto column =
            static_cast<std::size_t>(Wide{time} * static_cast<Wide>(columns_) / length_);
        return std::min(column, columns_ - 1);
    }
    /// The first instant of a column: column_of() of it is the column.
    [[nodiscard]] std::int64_t begin_of(std::size_t column) const {
        const auto columns = static_cast<Wide>(columns_);
        return static_cast<std::int64_t>((static_cast<Wide>(column) * length_ + columns - 1) /
                                         columns);
    }

    std::size_t columns_;
    std::int64_t length_;
    std::vector<std::array<std::int64_t, activities>> sums_;
};

ActivityGrid::ActivityGrid(const RunTimeline& timeline, const std::vector<std::vector<Rank>>& rows,
                           std::size_t columns, Time length)
    : rows_(rows.size()), columns_(columns), cells_(rows.size() * bands * columns) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
        RowSums sums(columns, length);
        for (const Rank rank : rows[row]) {
            const auto [first, end] = timeline.rows_of(rank);
            for (std::size_t i = first; i < end; ++i) {
                if (timeline.intervals.start(i) < length) {
                    sums.add(activity_of(timeline.intervals, i), timeline.intervals.start(i),
                             timeline.intervals.end(i));
                }
            }
        }
        for (std::size_t band = 0; band < bands; ++band) {
            for (std::size_t column = 0; column < columns; ++column) {
                cells_[(row * bands + band) * columns + column] =
                    sums.cell(column, band, rows[row].size());
            }
        }
    }
}

std::vector<Activity> ActivityGrid::occurring() const {
    std::array<bool, activities> there{};
    for (const Cell& cell : cells_) {
        there[static_cast<std::size_t>(cell.activity)] |= cell.busy > 0;
    }
    std::vector<Activity> list;
    for (std::size_t i = 0; i < activities; ++i) {
        if (there[i]) {
            list.push_back(static_cast<Activity>(i));
        }
    }
    return list;
}

}  // namespace npunet::report

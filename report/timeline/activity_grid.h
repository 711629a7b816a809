// A timeline as a grid: in every cell what a row of ranks did most at that time, and how much of
// the time. A million intervals become as many cells as can be seen.
//
//     const ActivityGrid grid(timeline, {{Rank(0)}, {Rank(1)}}, 1000, timeline.length);
//     grid.cell(0, 1, 500).activity            // of the first row's communication, half-way
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/run_timeline.h"
#include "report/timeline/activity.h"

namespace npunet::report {

/// The ranks in as many rows at most, neighbours sharing one; as equal as can be.
[[nodiscard]] std::vector<std::vector<Rank>> rows_of_ranks(const std::vector<Rank>& ranks,
                                                           std::size_t most_rows);

class ActivityGrid {
public:
    static constexpr int steps = 15;

    struct Cell {
        Activity activity = Activity::Other;
        /// How much of the cell's time, over all ranks of the row, its band was busy: 0 (not at
        /// all) to `steps` (all of it); anything at all is 1 at least.
        std::uint8_t busy = 0;
    };

    /// `columns` of equal width over [0, length); `timeline` must be finished.
    ActivityGrid(const analysis::RunTimeline& timeline, const std::vector<std::vector<Rank>>& rows,
                 std::size_t columns, Time length);

    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t columns() const { return columns_; }
    /// `band` as in band_of().
    [[nodiscard]] const Cell& cell(std::size_t row, std::size_t band, std::size_t column) const {
        return cells_[(row * bands + band) * columns_ + column];
    }
    /// Those that occur, in their order.
    [[nodiscard]] std::vector<Activity> occurring() const;

private:
    class RowSums;

    std::size_t rows_;
    std::size_t columns_;
    std::vector<Cell> cells_;
};

}  // namespace npunet::report

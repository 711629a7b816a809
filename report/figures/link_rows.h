// How busy the links are as the rows of a matrix: one kind of links after the other, in each the
// links in their order, and where there are many, neighbours together.
//
//     const LinkRows rows(timeline.load, 256, 256);
//     rows.mean(row, bin);                          // 0 to 1
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/run_timeline.h"

namespace npunet::report {

class LinkRows {
public:
    struct Kind {
        std::string name;  ///< "NIC"; "links" where kinds are not known
        std::size_t links = 0;
        std::size_t per_row = 1;  ///< a power of 2; the last row may have fewer
        std::size_t first = 0;    ///< row
        std::size_t rows = 0;
    };

    /// Limits of rows, though each kind has one, and of bins; both at least 1.
    LinkRows(const analysis::LinkLoad& load, std::size_t most_rows, std::size_t most_bins);

    [[nodiscard]] const std::vector<Kind>& kinds() const { return kinds_; }
    [[nodiscard]] std::size_t rows() const { return mean_.size() / bins_; }
    [[nodiscard]] std::size_t bins() const { return bins_; }
    [[nodiscard]] Time bin() const { return bin_; }  ///< width
    /// Over the links of a row and the time of a bin.
    [[nodiscard]] double mean(std::size_t row, std::size_t bin) const {
        return mean_[row * bins_ + bin];
    }
    /// Of its busiest link.
    [[nodiscard]] double most(std::size_t row, std::size_t bin) const {
        return most_[row * bins_ + bin];
    }
    /// Of the load, ascending.
    [[nodiscard]] const std::vector<std::size_t>& links(std::size_t row) const {
        return links_[row];
    }

private:
    void divide(const analysis::LinkLoad& load, std::size_t most_rows);
    void add_up(const analysis::LinkLoad& load, std::size_t joined);

    std::vector<Kind> kinds_;
    std::vector<std::vector<std::size_t>> links_;  ///< by row
    std::size_t bins_ = 1;
    Time bin_;
    std::vector<double> mean_;
    std::vector<double> most_;
};

}  // namespace npunet::report

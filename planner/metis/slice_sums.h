// Sums of consecutive layers, added from left to right: differences of prefix sums would have other
// last bits.
//
//     SliceSums sums(profile.layer_ms, layers);
//     const double ms = sums(first, end);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::planner::metis {

class SliceSums {
public:
    SliceSums() = default;

    /// Of `values`, of which there may be fewer than layers: slices past the end are short.
    SliceSums(std::vector<double> values, std::int64_t layers) : values_(std::move(values)) {
        if (layers > most_tabled) {
            return;
        }
        width_ = static_cast<std::size_t>(layers) + 1;
        table_.resize(width_ * width_);
        for (std::size_t first = 0; first < width_; ++first) {
            double sum = 0;
            for (std::size_t end = first; end < width_; ++end) {
                table_[first * width_ + end] = sum;
                sum += end < values_.size() ? values_[end] : 0.0;
            }
        }
    }

    double operator()(std::size_t first, std::size_t end) const {
        return width_ != 0 ? table_[first * width_ + end] : added(first, end);
    }

    /// Of all values, whatever the number of layers.
    [[nodiscard]] double total() const { return added(0, values_.size()); }
    [[nodiscard]] const std::vector<double>& values() const { return values_; }

private:
    /// Of longer models the tables of all profiles would not fit the caches, nor soon the memory.
    static constexpr std::int64_t most_tabled = 128;

    [[nodiscard]] double added(std::size_t first, std::size_t end) const {
        double sum = 0;
        for (std::size_t i = first; i < std::min(end, values_.size()); ++i) {
            sum += values_[i];
        }
        return sum;
    }

    std::vector<double> values_;
    std::vector<double> table_;
    std::size_t width_ = 0;
};

}  // namespace npunet::planner::metis

#include "planner/metis/division_cache.h"

#include <algorithm>
#include <cstring>

namespace npunet::planner::metis {

namespace {

/// Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) in two strands, which the
/// processor works on at once.
std::uint64_t hash_of(const std::vector<double>& numbers) {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;
    std::uint64_t even = 0;
    std::uint64_t odd = 1;
    const auto bits = [&](std::size_t i) {
        std::uint64_t word = 0;
        std::memcpy(&word, &numbers[i], sizeof word);
        return word;
    };
    std::size_t i = 0;
    for (; i + 1 < numbers.size(); i += 2) {
        even = (even ^ bits(i)) * factor;
        odd = (odd ^ bits(i + 1)) * factor;
    }
    if (i < numbers.size()) {
        even = (even ^ bits(i)) * factor;
    }
    const std::uint64_t both = (even ^ odd >> 29) * factor;
    return both >> 32;
}

}  // namespace

void DivisionCache::clear(std::size_t stages) {
    stages_ = stages;
    ++round_;
    if (used_.empty() || round_ == 0) {
        used_.assign(places, 0);
        round_ = 1;
    }
    if (performances_.size() < places * stages) {
        performances_.resize(places * stages);
        counts_.resize(places * stages);
    }
}

bool DivisionCache::find(const std::vector<double>& performance,
                         std::vector<std::uint16_t>& counts) {
    place_ = hash_of(performance) % places;
    if (used_[place_] != round_ || std::memcmp(&performances_[place_ * stages_], performance.data(),
                                               stages_ * sizeof(double)) != 0) {
        return false;
    }
    const auto first = counts_.begin() + static_cast<std::ptrdiff_t>(place_ * stages_);
    counts.assign(first, first + static_cast<std::ptrdiff_t>(stages_));
    return true;
}

void DivisionCache::keep(const std::vector<double>& performance,
                         const std::vector<std::uint16_t>& counts) {
    used_[place_] = round_;
    const auto first = static_cast<std::ptrdiff_t>(place_ * stages_);
    std::copy(performance.begin(), performance.end(), performances_.begin() + first);
    std::copy(counts.begin(), counts.end(), counts_.begin() + first);
}

}  // namespace npunet::planner::metis

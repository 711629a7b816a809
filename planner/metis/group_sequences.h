// Sizes of the stages' device groups as Metis enumerates them, before they are arranged: the
// non-decreasing sequences of powers of two with a given length and sum, lexicographically.
//
//     GroupSequences sequences(8, 3, 0);   // (2, 2, 4), as logarithms 1 1 2; then no more
//     while (sequences.next()) { use(sequences.logs()); }
#pragma once

#include <cstdint>
#include <vector>

namespace npunet::planner::metis {

class GroupSequences {
public:
    /// Sequences of `stages` powers of two that add up to `devices`, each at least `least`.
    GroupSequences(std::int64_t devices, std::int64_t stages, std::int64_t least);

    /// Goes on to the next sequence; false when there is none.
    bool next();

    /// The logarithms to base 2 of the sequence.
    [[nodiscard]] const std::vector<std::uint8_t>& logs() const { return logs_; }

private:
    [[nodiscard]] std::int64_t size_at(std::int64_t position) const {
        return std::int64_t{1} << logs_[static_cast<std::size_t>(position)];
    }

    std::int64_t stages_;
    std::int64_t left_;
    std::uint8_t least_log_ = 0;
    std::uint8_t most_log_ = 0;
    bool possible_ = false;
    bool started_ = false;
    std::vector<std::uint8_t> logs_;
};

/// The least size that Metis allows for a group of `stages` stages:
/// max(devices // stages, stages // devices) * variance.
[[nodiscard]] std::int64_t least_group(std::int64_t devices, std::int64_t stages,
                                       std::int64_t variance);

}  // namespace npunet::planner::metis

// How long an NPU communicated for each kind of parallelism, and how much of that was exposed.
//
//     const DimensionTimes::Entry& data = times[Parallelism::Data];
//     data.communication;  data.exposed;
//
// Lengths of unions of intervals. Exposed is what no computation covers; where several dimensions
// communicate then, the time counts for the first of parallelism_by_precedence, so that the exposed
// times sum to the exposed communication of the NPU exactly. C++17-clean.
#pragma once

#include <array>
#include <cstddef>

#include "base/quantities.h"
#include "engine/results/parallelism.h"

namespace npunet::engine {

class DimensionTimes {
public:
    struct Entry {
        Time communication;  ///< hidden or not; other dimensions may go on at the same time
        Time exposed;
    };

    [[nodiscard]] Entry& operator[](Parallelism dimension) {
        return entries_[static_cast<std::size_t>(dimension)];
    }
    [[nodiscard]] const Entry& operator[](Parallelism dimension) const {
        return entries_[static_cast<std::size_t>(dimension)];
    }

private:
    std::array<Entry, parallelisms> entries_{};
};

}  // namespace npunet::engine

// How long an NPU communicated for each kind of parallelism, and how much of that was exposed.
//
//     const DimensionTimes::Entry& data = times[Parallelism::Data];
//     data.communication;  data.exposed;  data.waiting;
//
// Lengths of unions of intervals. Exposed is what no computation covers; where several dimensions
// communicate then, the time counts for the first of parallelism_by_precedence, so that the exposed
// times sum to the exposed communication of the NPU exactly. Waiting is the part of that in which
// the dimension carries nothing: all of its communication under way waits for members of
// collectives that have not begun (engine/npu/late_members.h). C++17-clean.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "base/quantities.h"
#include "engine/results/hold_ups.h"
#include "engine/results/parallelism.h"

namespace npunet::engine {

class DimensionTimes {
public:
    struct Entry {
        Time communication;  ///< hidden or not; other dimensions may go on at the same time
        Time exposed;
        Time waiting = Time();  ///< of `exposed`
    };

    [[nodiscard]] Entry& operator[](Parallelism dimension) {
        return entries_[static_cast<std::size_t>(dimension)];
    }
    [[nodiscard]] const Entry& operator[](Parallelism dimension) const {
        return entries_[static_cast<std::size_t>(dimension)];
    }

    /// Of the NPU that finishes last, the lowest rank of equals.
    std::optional<HoldUps> hold_ups;

private:
    std::array<Entry, parallelisms> entries_{};
};

}  // namespace npunet::engine

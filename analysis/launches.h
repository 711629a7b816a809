// Which call launched which kernel, by the correlation that both carry.
//
//     const Launches launches(trace);
//     for (const EventId call : launches.calls()) {
//         for (const EventId kernel : launches.kernels_of(trace.correlation[call])) { ... }
//     }
//
// A call may launch several kernels (a graph).
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "profiles/event_table.h"

namespace npunet::analysis {

class Launches {
public:
    explicit Launches(const profiles::EventTable& trace);

    /// Events of other categories than kernel that have the correlation of a kernel, as the file
    /// has them.
    [[nodiscard]] const std::vector<profiles::EventId>& calls() const { return calls_; }
    /// Kernels (category kernel alone), as the file has them.
    [[nodiscard]] std::span<const profiles::EventId> kernels_of(std::int64_t correlation) const;
    /// The runtime's or driver's event that launched this GPU work, copies and sets among it;
    /// no_event when the file has none.
    [[nodiscard]] profiles::EventId call_of(profiles::EventId gpu_work) const;

private:
    struct Range {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        profiles::EventId call = profiles::no_event;
    };

    const profiles::EventTable* trace_;
    std::vector<profiles::EventId> kernels_;  ///< by correlation
    std::vector<profiles::EventId> calls_;
    std::unordered_map<std::int64_t, Range> ranges_;
};

}  // namespace npunet::analysis

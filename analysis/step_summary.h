// What people ask first of a run: which NPU decides how long it takes, what that one spends its
// time on, what holds it up most, and how far the run is from what its parts need alone.
//
//     if (const auto summary = step_summary(results)) {
//         summary->last->exposed_communication; summary->bottleneck.exposed;
//     }
#pragma once

#include <cstdint>
#include <optional>

#include "engine/results/results.h"

namespace npunet::analysis {

/// What of the time of an NPU is worth looking at first.
struct Bottleneck {
    enum class Kind : std::uint8_t {
        Compute,        ///< takes at least compute_share of the time
        Communication,  ///< exposed, of one kind of parallelism
        Memory,         ///< exposed accesses to remote memory
        Waiting         ///< for others that compute, or with nothing under way anywhere
    };
    static constexpr double compute_share = 0.8;

    Kind kind = Kind::Compute;
    engine::Parallelism dimension = engine::Parallelism::Other;  ///< of Communication
    Time time;  ///< of it, hidden or not; of Waiting all in which the NPU waits
    /// Of that what nothing covers; of Communication without waiting for members of collectives.
    Time exposed;
    Time waiting = Time();  ///< for others that do this; of Waiting 0

    [[nodiscard]] Time holds_up() const { return exposed + waiting; }
};

struct StepSummary {
    /// The NPU that finishes last, of equals the lowest rank. Pointers are into the results.
    const engine::NpuResult* last = nullptr;
    Bottleneck bottleneck;  ///< of `last`
    /// With the largest share of its capacity in use or, where none is known, the largest peak;
    /// null where no memory is known.
    const engine::NpuResult* fullest = nullptr;
    /// That computes longest: no run of this workload on this device takes less.
    const engine::NpuResult* busiest = nullptr;
    /// Hardware FLOPs utilization: what the operations' FLOPs use of the peak performance over the
    /// run, mean of the NPUs; 0 where operations or peak are not known.
    double hfu_percent = 0;
};

/// Nothing for results without NPUs, or that took no time.
[[nodiscard]] std::optional<StepSummary> step_summary(const engine::Results& results);

/// The NPU that finishes last, of equals the lowest rank; null for none.
[[nodiscard]] const engine::NpuResult* last_to_finish(const engine::Results& results);

}  // namespace npunet::analysis

// The tracks of a rank: what is drawn together, in every view of a timeline.
//
//     const Track track = track_of(timeline.intervals, row);
//     name_of(track)       // "TP"
#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/run_timeline.h"

namespace npunet::report {

/// In the order in which they are drawn.
enum class Track : std::uint8_t {
    Compute,
    Tensor,
    Pipeline,
    Data,
    Expert,
    Context,
    Communication,  ///< of no known dimension
    Optimizer,      ///< computation of the optimizer
    Memory,
    Host,
    Other
};
inline constexpr std::size_t tracks = 11;

/// "compute", "TP", "PP", "DP", "EP", "CP", "communication", "optimizer", "memory", "host",
/// "other".
[[nodiscard]] const char* name_of(Track track);

[[nodiscard]] Track track_of(const analysis::Intervals& rows, std::size_t row);

}  // namespace npunet::report

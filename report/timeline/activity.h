// What a rank does at a time, as views of a timeline colour it: phases of computation, dimensions
// of communication, and the rest; and the track of a rank on which it is drawn.
//
//     const Activity activity = activity_of(timeline.intervals, row);
//     canvas.box(corner, 10, 5, colour_of(activity));
//
// Computation and communication go on at the same time; views show them in two bands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analysis/run_timeline.h"
#include "report/figures/canvas.h"

namespace npunet::report {

enum class Activity : std::uint8_t {
    Forward,
    Backward,
    Recompute,
    Optimizer,
    Computation,  ///< of no known phase
    Host,
    Other,
    Tensor,
    Pipeline,
    Data,
    Expert,
    Context,
    Communication,  ///< of no known dimension
    Memory
};
inline constexpr std::size_t activities = 14;
inline constexpr std::size_t bands = 2;

[[nodiscard]] Activity activity_of(const analysis::Intervals& rows, std::size_t row);

/// 0: computation, host, other. 1: communication, memory.
[[nodiscard]] std::size_t band_of(Activity activity);

/// "forward", ..., "computation", "host", "other", "TP", ..., "communication", "memory".
[[nodiscard]] const char* name_of(Activity activity);

/// Hues of Okabe and Ito; activities of one band also differ in lightness.
[[nodiscard]] Colour colour_of(Activity activity);
/// The same as "#0072b2".
[[nodiscard]] std::string hex_of(const Colour& colour);

/// The tracks of a rank: what is drawn together. In the order in which they are drawn.
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

// The timeline that traces recorded: each node at its own start time, for its own duration.
//
//     write_recorded_timeline({"a.0.et", "a.1.et"}, {}, "timeline.perfetto-trace");
//
// Nothing is simulated: for that see study/simulation_run.h. What the profiler measured lies side
// by side on one clock, the one of the traces; their earliest start is time 0, since profilers
// count from 1970.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "chakra/trace/trace_format.h"

namespace npunet::study {

/// Returns the start time (us) that became 0. A trace without a rank in its name has that of its
/// place. Nodes without a start time are left out. Throws InputError when no node has one, for
/// times more than 100 days apart, and as chakra::NodeFrames does; MachineError when the file
/// cannot be written.
std::uint64_t write_recorded_timeline(const std::vector<std::filesystem::path>& traces,
                                      const chakra::ReadOptions& read,
                                      const std::filesystem::path& file);

}  // namespace npunet::study

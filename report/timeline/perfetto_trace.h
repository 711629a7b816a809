// timeline.perfetto-trace: who did what when, for https://ui.perfetto.dev (which works on the file
// in the browser and uploads nothing).
//
//     report::write_perfetto_trace(timeline, folder / "timeline.perfetto-trace");
//
// Every rank that did something is a process, pid rank + 1 ("rank 0" is pid 1, since 0 is the idle
// process). Its tracks are "compute", the dimensions of parallelism "TP", "PP", "DP", "EP" and
// "CP", "communication" where the dimension is not known, "optimizer", "memory", "host" and
// "other"; those without intervals are left out. Slices of a track must not overlap: an interval
// that overlaps goes to the first further track of its kind that is free (Perfetto draws tracks of
// equal name together). Flows lead through the parts of a collective and from a send to its
// receive.
//
// Where the load of the links is known, a process "links" has a counter in percent for every link
// that was used; of more than most_counters links, for those that are busiest over the whole run.
//
// Timestamps are whole nanoseconds, picoseconds rounded down. Where that loses something, the slice
// carries the exact instants as start_ps and end_ps; it always carries the node's id, and what is
// known of phase, micro_batch, bytes, group and peer.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>

#include "analysis/run_timeline.h"

namespace npunet::report {

/// Links that get a counter.
inline constexpr std::size_t most_counters = 256;

/// Writes the trace whole or not at all; throws MachineError when it cannot be written. Packets go
/// out one by one: the memory needed beside the timeline does not grow with the intervals. The
/// timeline must be finished.
void write_perfetto_trace(const analysis::RunTimeline& timeline, const std::filesystem::path& path);

/// The same onto a binary stream.
void write_perfetto_trace(const analysis::RunTimeline& timeline, std::ostream& stream);

}  // namespace npunet::report

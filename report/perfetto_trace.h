// timeline.perfetto-trace: every operation of a run as a slice, for https://ui.perfetto.dev (which
// works on the file in the browser and uploads nothing).
//
//     report::write_perfetto_trace(results, folder / "timeline.perfetto-trace");
//
// Every rank that did something is a process, pid rank + 1 ("rank 0" is pid 1, since 0 is the idle
// process). Its operations lie on one track for each kind that occurs. Slices of a track must not
// overlap: an operation that overlaps goes to the first further track of its kind that is free
// (Perfetto draws tracks of equal name together).
//
// Timestamps are whole nanoseconds, picoseconds rounded down. Where that loses something, the slice
// carries the exact instants as start_ps and end_ps; it always carries the node's id.
#pragma once

#include <filesystem>
#include <iosfwd>

#include "engine/results.h"

namespace npunet::report {

/// Writes the trace whole or not at all; throws MachineError when it cannot be written. Packets go
/// out one by one: the memory needed does not grow with the number of operations.
void write_perfetto_trace(const engine::Results& results, const std::filesystem::path& path);

/// The same onto a binary stream.
void write_perfetto_trace(const engine::Results& results, std::ostream& stream);

}  // namespace npunet::report

// Execution traces of a recording.
//
//     Recording recording = open_recording("out/recording");
//     const RecordedSummary summary = convert_recording(recording, staging, nullptr);
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "chakra/trace/trace_format.h"
#include "generators/profiler/operator_times.h"
#include "generators/recorded/recorded_trace.h"
#include "generators/recorded/recording.h"
#include "generators/workload_files.h"

namespace npunet::generators::recorded {

struct RecordedSummary {
    RecordedTotals totals;
    std::int32_t traces = 0;
    std::int64_t groups = 0;
    std::set<std::string> known_operators;  ///< unmatched, but in the profile with other inputs
    std::vector<LogWarning> warnings;       ///< each once
    chakra::Losses losses;
};

/// Writes a trace for each rank with a log, in parallel, and the file of groups, into the folder of
/// `files`. Operations take their times from `kernels` where it has them; null: none. Throws
/// InputError as the readers of logs do, and where calls of different ranks do not meet.
[[nodiscard]] RecordedSummary convert_recording(const Recording& recording,
                                                const WorkloadFiles& files,
                                                const profiler::OperatorNest* kernels);

}  // namespace npunet::generators::recorded

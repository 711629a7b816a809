// Execution traces of a recording: the folder of logs that the recorder leaves.
//
//     Recording recording = open_recording("out/recording");
//     const RecordedSummary summary = convert_recording(recording, staging, {});
//
// recording.json says which ranks were recorded and which of them stand for others; docs/record.md
// has its fields.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "chakra/trace/trace_format.h"
#include "generators/recorded/recorded_groups.h"
#include "generators/recorded/recorded_trace.h"
#include "generators/workload_files.h"

namespace npunet::generators::recorded {

struct Recording {
    std::filesystem::path folder;
    std::int32_t ranks = 0;
    std::vector<Rank> recorded;  ///< sorted
    /// By rank: the one whose log it has; invalid: none. Of a rank that was recorded, itself.
    std::vector<Rank> log_of;
    /// Numbers of the groups as in the first recorded rank's log.
    GroupFamilies families;

    [[nodiscard]] bool whole() const;
};

struct RecordedSummary {
    RecordedTotals totals;
    std::int32_t traces = 0;
    std::int64_t groups = 0;
    std::vector<LogWarning> warnings;  ///< each once
    chakra::Losses losses;
};

/// Throws InputError for what is not a recording.
[[nodiscard]] Recording open_recording(const std::filesystem::path& folder);

/// Writes a trace for each rank with a log, in parallel, and the file of groups, into the folder of
/// `files`; `written` is called after each, by one thread at a time. Throws InputError as the
/// readers of logs do, and where calls of different ranks do not meet.
[[nodiscard]] RecordedSummary convert_recording(const Recording& recording,
                                                const WorkloadFiles& files,
                                                const std::function<void()>& written);

}  // namespace npunet::generators::recorded

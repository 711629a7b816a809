// A recording: the folder of logs that the recorder leaves.
//
//     const Recording recording = open_recording("out/recording");
//     const RecordedGroups groups(headers_of(recording));
//
// recording.json says which ranks were recorded and which of them stand for others; docs/record.md
// has its fields.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/ids.h"
#include "generators/recorded/recorded_groups.h"
#include "generators/recorded/recorded_log.h"

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

/// Throws InputError for what is not a recording.
[[nodiscard]] Recording open_recording(const std::filesystem::path& folder);

/// The log of a rank that was recorded.
[[nodiscard]] std::filesystem::path log_file(const std::filesystem::path& folder, Rank rank);

/// Of the recorded ranks' logs. Throws InputError for logs of other recordings.
[[nodiscard]] std::vector<LogHeader> headers_of(const Recording& recording);

/// By the numbers of `groups`, which are of the recording's headers.
[[nodiscard]] GroupFamilies families_of(const Recording& recording, const RecordedGroups& groups);

}  // namespace npunet::generators::recorded

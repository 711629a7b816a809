// What a results folder keeps of a long timeline.
//
//     const std::optional<analysis::RunTimeline> excerpt = excerpt_of(timeline, results.npus);
//     write_timeline_file(excerpt ? *excerpt : timeline, ...);
//
// NPUs that train the same layers do the same: of a long timeline some NPUs tell as much as all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run_timeline.h"
#include "engine/results/results.h"

namespace npunet::report {

/// Intervals of all NPUs that are kept whole: some 12 MB in both files.
inline constexpr std::size_t most_intervals = 60'000;
/// Nothing where the timeline has at most `most` intervals. Else those of as many NPUs as have at
/// most `most` together: the one that finishes last, then the first one of each class
/// (NpuResult::npu_class), then the others by rank; NPUs that do not fit are passed over. Where not
/// even one NPU fits, the earliest intervals of the first. A note tells what is kept. The timeline
/// must be sorted, and `npus` by rank.
[[nodiscard]] std::optional<analysis::RunTimeline> excerpt_of(
    const analysis::RunTimeline& timeline, const std::vector<engine::NpuResult>& npus,
    std::size_t most = most_intervals);

/// What a timeline that was written by excerpt_of(), or read again, says of what it has; null: it
/// is whole.
[[nodiscard]] const std::string* note_of_excerpt(const analysis::RunTimeline& timeline);

}  // namespace npunet::report

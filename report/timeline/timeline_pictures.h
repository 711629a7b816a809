// The figures of a timeline, as files.
//
//     write_pictures(timeline, folder / "figures");    // gantt.svg, gantt.png, overlap.svg, ...
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/run_timeline.h"

namespace npunet::report {

/// Of so many pipelines and of so many replicas there is a figure each, those of the lowest ranks.
inline constexpr std::size_t most_pictured = 4;

/// As SVG and as PNG: gantt of all ranks; gantt-pipeline-N and gantt-replica-N, from 0, where there
/// are several ranks in one and more than one; overlap where micro-batches are known; links where
/// their load is known and they can be drawn (is_legible()), link-matrix for any number. Returns
/// the names of the files, in that order. Throws MachineError.
std::vector<std::string> write_pictures(const analysis::RunTimeline& timeline,
                                        const std::filesystem::path& folder);

/// Two runs one above the other: gantt.svg and gantt.png.
std::vector<std::string> write_pictures(const analysis::RunTimeline& first,
                                        const analysis::RunTimeline& second,
                                        const std::filesystem::path& folder);

}  // namespace npunet::report

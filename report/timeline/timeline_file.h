// timeline.pb: the timeline of a run, kept in its results folder for `npunet report`.
//
//     write_timeline_file(timeline, inputs, &results, folder / "timeline.pb");
//     const SavedTimeline saved = read_timeline_file(folder / "timeline.pb");
//
// A protobuf message (timeline.proto) of columns, about 25 bytes an interval.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/run_timeline.h"
#include "engine/results/results.h"
#include "report/results/input_list.h"

namespace npunet::report {

struct SavedTimeline {
    analysis::RunTimeline timeline;
    InputList inputs;  ///< what decided the results
    /// Of simulated runs: NPUs, collectives, links and notes.
    std::optional<engine::Results> results = std::nullopt;
};

/// Whole or not at all. The timeline must be finished; `results` may be null. Throws MachineError
/// when it cannot be written.
void write_timeline_file(const analysis::RunTimeline& timeline, const InputList& inputs,
                         const engine::Results* results, const std::filesystem::path& path);

/// The same onto a binary stream.
void write_timeline(const analysis::RunTimeline& timeline, const InputList& inputs,
                    const engine::Results* results, std::ostream& stream);

/// What is read is finished, and checked: columns of one length, numbers within their tables, ends
/// not before starts. Throws InputError.
[[nodiscard]] SavedTimeline read_timeline_file(const std::filesystem::path& path);
/// The same from the content of a file; `label` names it in messages.
[[nodiscard]] SavedTimeline read_timeline(std::string_view bytes, const std::string& label);

}  // namespace npunet::report

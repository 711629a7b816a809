// Writes a generated workload: one Chakra trace a rank, and the file of communicator groups.
//
//     write_workload(workload, {"traces", "gpt", "comm_group.json"});
//     // traces/gpt.0.et, traces/gpt.1.et, ..., traces/comm_group.json
#pragma once

#include <filesystem>
#include <string>

#include "chakra/files/trace_writer.h"
#include "chakra/trace/trace_format.h"
#include "generators/workload.h"

namespace npunet::generators {

struct WorkloadFiles {
    std::filesystem::path folder;  ///< made when it is missing
    /// "%d" stands for the rank; where it is missing ".%d.et" is appended, or ".%d.json".
    std::string traces = "workload";
    std::string groups = "comm_group.json";
    chakra::WrittenForm form = chakra::WrittenForm::V0_0_4;
};

/// The folder joined with the trace's name for one rank.
[[nodiscard]] std::filesystem::path trace_file(const WorkloadFiles& files, Rank rank);
/// The folder joined with the name, "%d" kept: for messages.
[[nodiscard]] std::filesystem::path trace_pattern(const WorkloadFiles& files);

/// Throws InputError for names that are empty, lie outside the folder, or are equal.
void check_workload_names(const WorkloadFiles& files, std::int32_t ranks);

/// Removes traces of ranks from `ranks` on without a gap, which an earlier, larger workload left.
void remove_further_traces(const WorkloadFiles& files, std::int32_t ranks);

/// The files appear together, and those of a larger workload under the same names go. Throws
/// InputError for names that are empty, lie outside the folder, or are equal; MachineError when a
/// file cannot be written. Returns what the form could not carry.
chakra::Losses write_workload(const GeneratedWorkload& workload, const WorkloadFiles& files);

}  // namespace npunet::generators

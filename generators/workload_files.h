// Writes a generated workload: one Chakra trace a rank, and the file of communicator groups.
//
//     write_workload(workload, {"traces", "gpt", "comm_group.json"});
//     // traces/gpt.0.et, traces/gpt.1.et, ..., traces/comm_group.json
#pragma once

#include <filesystem>
#include <string>

#include "generators/workload.h"

namespace npunet::generators {

struct WorkloadFiles {
    std::filesystem::path folder;  ///< made when it is missing
    /// "%d" stands for the rank; where it is missing ".%d.et" is appended.
    std::string traces = "workload.%d.et";
    std::string groups = "comm_group.json";
};

/// The folder joined with the trace's name for one rank.
[[nodiscard]] std::filesystem::path trace_file(const WorkloadFiles& files, Rank rank);
/// The folder joined with the name, "%d" kept: for messages.
[[nodiscard]] std::filesystem::path trace_pattern(const WorkloadFiles& files);

/// Throws InputError for names that are empty, lie outside the folder, or are equal;
/// MachineError when a file cannot be written.
void write_workload(const GeneratedWorkload& workload, const WorkloadFiles& files);

}  // namespace npunet::generators

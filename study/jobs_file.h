// Reads a jobs.yml (docs/inputs.md): which jobs share a machine, and where each of them runs.
//
//     const JobsFile file = read_jobs_file("jobs.yml");
//     const Machine machine = load_machine("net.yml", "system.json", file.dialect);
//     const JobsResults results = simulate_jobs(load_jobs(file, machine), machine, fidelity);
//
// Relative paths in it are looked up in its folder.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"

namespace npunet::study {

/// One entry of the file.
struct JobEntry {
    std::string name;          ///< could be the name of a folder
    std::string workload;      ///< prefix of the traces
    std::string comm_group;    ///< file of the communicator groups; empty: none
    std::vector<NodeId> npus;  ///< rank r runs on npus[r]
    Time start;
    // Places in the file, for messages.
    std::string workload_place;
    std::string ranks_place;
};

struct JobsFile {
    std::string file;
    std::string dialect;  ///< of all of them
    std::vector<JobEntry> jobs;
};

/// The jobs have different names and different NPUs. `dialect` is that of jobs that name none.
/// Throws InputError with file and line for whatever cannot be meant.
[[nodiscard]] JobsFile read_jobs_file(const std::string& file,
                                      const std::string& dialect = "npunet");

}  // namespace npunet::study

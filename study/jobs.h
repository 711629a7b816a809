// Several jobs on one machine at one time: each executes its own traces on NPUs of its own, and
// their messages meet on the links.
//
//     const JobsFile file = read_jobs_file("jobs.yml");
//     const Machine machine = load_machine("net.yml", "system.json", file.dialect);
//     const engine::JobsResults results =
//         simulate_jobs(load_jobs(file, machine), machine, Fidelity::Packet);
//
// At the analytical fidelity only the ports of NPUs queue, so that jobs do not disturb each other.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/machine/system_config.h"
#include "engine/program/workload.h"
#include "engine/results/job_results.h"
#include "study/jobs_file.h"
#include "study/simulation_run.h"

namespace npunet::study {

struct Job {
    std::string name;
    engine::Workload workload;
    std::vector<NodeId> npus;  ///< rank r runs on npus[r]; no other job has them
    Time start;                ///< before it the NPUs are idle
};

/// Reads the traces and groups of every job. Throws InputError: for NPUs that the machine does not
/// have and ranks without traces with the line of the jobs.yml.
[[nodiscard]] std::vector<Job> load_jobs(const JobsFile& file, const Machine& machine,
                                         engine::EmptyTraces empty = engine::EmptyTraces::Refused);

/// The machine as a job sees it: its NPUs are those of the job, links and routes those of all.
/// What system.json says of single ranks holds for the NPUs on which the machine's placement puts
/// these.
[[nodiscard]] Machine machine_of(const Machine& machine, const std::vector<NodeId>& npus);

/// Runs all jobs to the end, or until the options break the run off, on one clock, which starts at
/// 0; nothing is folded. Throws StallError
/// when jobs cannot finish, with the explanation of each of them and the names of the others, and
/// InputError as simulate() does; where it concerns one job with its name.
[[nodiscard]] engine::JobsResults simulate_jobs(const std::vector<Job>& jobs,
                                                const Machine& machine, Fidelity fidelity,
                                                const RunOptions& options = {});

}  // namespace npunet::study

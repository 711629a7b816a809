// What a simulation of several jobs on one network found: of each job, and of the network.
//
//     const JobsResults results = study::simulate_jobs(jobs, machine, fidelity);
//     Time took = results.jobs[0].duration();
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/results.h"

namespace npunet::engine {

struct JobResult {
    std::string name;
    std::vector<NodeId> npus;  ///< rank r ran on npus[r]
    Time start;
    /// Times count from the start of the simulation, so that idle times contain what passed before
    /// the job's start; events, packet hops and wall time are those of all jobs. Without links:
    /// they carried the messages of all.
    Results results;

    /// When its last NPU was done.
    [[nodiscard]] Time finish() const { return std::max(start, results.finish); }
    [[nodiscard]] Time duration() const { return finish() - start; }
};

struct JobsResults {
    /// Of all jobs: the latest finish, links, events. Without NPUs, collectives and operations.
    Results all;
    std::vector<JobResult> jobs;  ///< in the order in which they were given
};

}  // namespace npunet::engine

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
#include "engine/results/results.h"

namespace npunet::engine {

struct JobResult {
    std::string name;
    std::vector<NodeId> npus;  ///< rank r ran on npus[r]
    Time start;
    /// Times count from the start of the simulation, so that idle times contain what passed before
    /// the job's start; events, packet hops and wall time are those of all jobs. Without links:
    /// they carried the messages of all.
    Results results;

    /// When its last NPU was done; where the results are partial, until when it ran.
    [[nodiscard]] Time finish() const {
        return results.partial ? results.partial->at : std::max(start, results.finish);
    }
    /// 0 where the run was broken off before its start.
    [[nodiscard]] Time duration() const { return std::max(finish(), start) - start; }
};

struct JobsResults {
    /// Of all jobs: the latest finish, links, events; partial where any job's are. Without NPUs,
    /// collectives and operations.
    Results all;
    std::vector<JobResult> jobs;  ///< in the order in which they were given
};

}  // namespace npunet::engine

// `npunet simulate --jobs-file`: several jobs on one network.
//
//     simulate_jobs(context, inputs, "jobs.yml", study::Fidelity::Packet);
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/run_inputs.h"
#include "report/results_folder.h"
#include "study/simulation_run.h"

namespace npunet::cli {

/// Reads, runs, writes the results folder, and prints a table or JSON. Throws InputError for
/// options that name another workload.
void simulate_jobs(const CommandContext& context, const RunInputs& inputs,
                   const std::string& jobs_file, study::Fidelity fidelity,
                   report::CollectiveRows rows);

}  // namespace npunet::cli

// `npunet simulate --jobs-file`: several jobs on one network.
//
//     simulate_jobs(context, inputs, "jobs.yml", study::Fidelity::Packet, detail, limits);
#pragma once

#include <string>

#include "cli/command/commands.h"
#include "cli/simulate/run_inputs.h"
#include "cli/simulate/run_watch.h"
#include "study/simulation_run.h"

namespace npunet::cli {

/// Reads, runs, writes the results folder, and prints a table or JSON. Throws InputError for
/// options that name another workload; as RunWatch::check() where the results are partial.
void simulate_jobs(const CommandContext& context, const RunInputs& inputs,
                   const std::string& jobs_file, study::Fidelity fidelity, bool detail,
                   const RunLimits& limits);

}  // namespace npunet::cli

// `npunet simulate --dry-run`: what a run would cost, from its first seconds.
//
// The run is broken off after 10 s, or --max-wall-time. What it has sent by then, of what it sends
// in all, says how long the rest takes (cli/console/time_left.h).
#pragma once

#include "cli/command/commands.h"
#include "cli/simulate/run_inputs.h"
#include "cli/simulate/run_watch.h"
#include "engine/program/workload.h"
#include "study/simulation_run.h"

namespace npunet::cli {

/// Prints it, as text or with --json. Throws Stopped after a signal.
void dry_run(const CommandContext& context, const RunInputs& inputs,
             const engine::Workload& workload, const study::Machine& machine,
             study::Fidelity fidelity, RunLimits limits);

}  // namespace npunet::cli

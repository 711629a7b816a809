// When each operation and call of a recording ends in a simulation: what the recorder's clock shows
// when the program is recorded again (recorder/npunet_recorder/clock.py).
//
//     write_simulated_times(recording, staging, machine, folder);
//     run_recorder(again, logs);                       // with `folder`
//     require_same_logs(recording, logs);
#pragma once

#include <filesystem>

#include "generators/recorded/recording.h"
#include "generators/workload_files.h"
#include "study/simulation_run.h"

namespace npunet::cli {

/// Simulates the traces, PREFIX.N.et, at the analytical fidelity; writes times.N.json for each rank
/// that was recorded: `ends` in picoseconds, in the order of the trace, `skipped` by the log.
/// `recording` is whole, with a rank for each NPU. Throws InputError and StallError as simulations
/// do.
void write_simulated_times(const generators::recorded::Recording& recording,
                           const generators::WorkloadFiles& files, const study::Machine& machine,
                           const std::filesystem::path& folder);

/// Throws InputError where a rank did something else when the clock showed simulated times.
void require_same_logs(const generators::recorded::Recording& recording,
                       const std::filesystem::path& logs);

}  // namespace npunet::cli

// The results folder of a sweep: results.csv, results.json, and the figures time_memory and
// breakdown, each as SVG and PNG.
#pragma once

#include <filesystem>
#include <string>

#include "study/sweep/design_space.h"
#include "study/sweep/sweep.h"

namespace npunet::study {

/// Either all files appear or none; results.json, which has the `command`, comes last. Throws
/// MachineError.
void write_sweep_folder(const DesignSpace& space, const SweepResults& results,
                        const std::filesystem::path& folder, const std::string& command);

/// Removes what an earlier sweep left there under these names, its journal aside.
void remove_sweep_results(const std::filesystem::path& folder);

}  // namespace npunet::study

// The results folder of a simulation: one file for each reader.
//
//     report::write_results_folder(results, "out/demo/packet");
//
// results.json (programs), npus.csv, collectives.csv, links.csv, where flows were asked for
// flows.csv (spreadsheets), and timeline.perfetto-trace (https://ui.perfetto.dev).
#pragma once

#include <filesystem>

#include "engine/job_results.h"
#include "engine/results.h"

namespace npunet::report {

/// Makes the folder when it is missing and replaces what an earlier run left there. Each file is
/// whole or absent; results.json comes last, so that where it is, the others are. Throws
/// MachineError when something cannot be written.
void write_results_folder(const engine::Results& results, const std::filesystem::path& folder);

/// Removes what an earlier run has left there, if it has, and this one does not write. Throws
/// MachineError when it cannot.
void remove_old(const std::filesystem::path& file);
/// The same for several jobs: results.json and links.csv of all of them, and in jobs/NAME the other
/// files of each. results.json of all comes last.
void write_results_folder(const engine::JobsResults& results, const std::filesystem::path& folder);

}  // namespace npunet::report

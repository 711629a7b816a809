// The results folder of a simulation: one file for each reader.
//
//     report::write_results_folder(results, "out/demo/packet", {{"--network", "ring.yml"}});
//
// results.json (programs), npus.csv, collectives.csv, links.csv, where flows were asked for
// flows.csv (spreadsheets), timeline.perfetto-trace (https://ui.perfetto.dev), timeline.pb (npunet
// report) and report.html (browsers).
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/job_results.h"
#include "engine/results.h"
#include "report/input_list.h"

namespace npunet::report {

/// The rows of collectives.csv: one for each collective, or one for each rank's part in it
/// (collective_parts.h).
enum class CollectiveRows : std::uint8_t { Collectives, Parts };

/// Makes the folder when it is missing and replaces what an earlier run left there. Each file is
/// whole or absent; results.json comes last, so that where it is, the others are. report.html names
/// the `inputs`. Throws MachineError when something cannot be written.
void write_results_folder(const engine::Results& results, const std::filesystem::path& folder,
                          const InputList& inputs = {},
                          CollectiveRows rows = CollectiveRows::Collectives);

/// The same for several jobs: results.json, links.csv and report.html of all of them, and in
/// jobs/NAME the other files of each. results.json of all comes last.
void write_results_folder(const engine::JobsResults& results, const std::filesystem::path& folder,
                          const InputList& inputs = {},
                          CollectiveRows rows = CollectiveRows::Collectives);

/// Removes what an earlier run has left there, if it has, and this one does not write. Throws
/// MachineError when it cannot.
void remove_old(const std::filesystem::path& file);

}  // namespace npunet::report

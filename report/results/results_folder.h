// The results folder of a simulation: one file for each reader.
//
//     report::write_results_folder(results, "out/demo/packet", {command, inputs});
//
// results.json (programs), npus.csv, collectives.csv, links.csv, where flows were asked for
// flows.csv (spreadsheets), timeline.perfetto-trace (https://ui.perfetto.dev), timeline.pb (npunet
// report) and report.html (browsers).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/staged_folder.h"
#include "engine/results/job_results.h"
#include "engine/results/results.h"
#include "report/results/collective_choices.h"
#include "report/results/input_list.h"
#include "report/results/output_scope.h"

namespace npunet::report {

/// The files of such a folder that come last: where one is, those that belong to it are.
inline const std::vector<std::string> completeness_marks{"results.json"};

/// Writes the files into the folder `inner` of a staged folder, whose commit(completeness_marks)
/// makes them visible and removes files of an earlier run that this one does not write.
/// results.json has the command of `origin`, report.html its inputs. Unless `scope` is full, long
/// timelines and lists are cut. Throws MachineError on a failed write.
void write_results(const engine::Results& results, StagedFolder& staged,
                   const std::filesystem::path& inner, const RunOrigin& origin = {},
                   const OutputScope& scope = {});

/// Removes the results of an earlier run in the folder `inner` at commit().
void discard_results(StagedFolder& staged, const std::filesystem::path& inner);

/// Makes the folder when it is missing and replaces what an earlier run left there. The files
/// appear together, or none does; results.json comes last. Throws MachineError.
void write_results_folder(const engine::Results& results, const std::filesystem::path& folder,
                          const RunOrigin& origin = {}, const OutputScope& scope = {});

/// The same for several jobs: results.json, links.csv and report.html of all of them, and in
/// jobs/NAME the other files of each. results.json of all comes last. `details`: one for each job,
/// in place of that of `scope`, or none.
void write_results(const engine::JobsResults& results, StagedFolder& staged,
                   const RunOrigin& origin = {}, const OutputScope& scope = {},
                   const std::vector<CollectiveDetail>& details = {});
void write_results_folder(const engine::JobsResults& results, const std::filesystem::path& folder,
                          const RunOrigin& origin = {}, const OutputScope& scope = {},
                          const std::vector<CollectiveDetail>& details = {});

}  // namespace npunet::report

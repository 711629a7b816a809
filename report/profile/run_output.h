// What was measured of profiled runs, as tables for files, as text for people and as JSON
// (docs/profiles.md).
//
//     for (const ColumnTable& table : run_tables(runs)) { ... }
//     out << run_text(run);
//     out << run_json(runs, "npunet", "global") << '\n';
#pragma once

#include <string>
#include <vector>

#include "analysis/run_profile.h"
#include "report/profile/column_table.h"

namespace npunet::report {

/// ranks, classes, micro_batches, pipeline_groups, stages, model_groups, clocks, stragglers and
/// collectives; each with the column `iteration` first. docs/profiles.md has the columns.
[[nodiscard]] std::vector<ColumnTable> run_tables(const std::vector<analysis::RunProfile>& runs);

/// Tables for the console, and the notes.
[[nodiscard]] std::string run_text(const analysis::RunProfile& run);

/// One document. Every list holds the entries of all iterations, each with its `iteration`. Names
/// the `command`, unless it is empty.
[[nodiscard]] std::string run_json(const std::vector<analysis::RunProfile>& runs,
                                   const std::string& dialect, const std::string& alignment,
                                   const std::string& command = "");

}  // namespace npunet::report

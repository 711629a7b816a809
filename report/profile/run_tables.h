// What was measured of profiled runs, as tables for files and as text for people.
//
//     for (const ColumnTable& table : run_tables(runs)) { write(table.name + ".csv",
//     csv_of(table)); } out << run_text(run);
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

}  // namespace npunet::report

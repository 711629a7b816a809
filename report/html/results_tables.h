// The tables of a run on a page: every NPU, collective and link, with the columns of the CSV files.
//
//     page.add({"links", "Links", links_table(results).html()});
#pragma once

#include "engine/results.h"
#include "report/html/data_table.h"

namespace npunet::report {

[[nodiscard]] DataTable npus_table(const engine::Results& results);

/// In order of their start.
[[nodiscard]] DataTable collectives_table(const engine::Results& results);

/// Busiest first; what only some networks have (packets, pauses, ...) where something has it.
[[nodiscard]] DataTable links_table(const engine::Results& results);

}  // namespace npunet::report

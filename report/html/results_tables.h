// The tables of a run on a page: every NPU, collective and link, with the columns of the CSV files,
// and the options it was started with.
//
//     page.add({"links", "Links", links_table(results).html()});
#pragma once

#include <string>

#include "engine/results/results.h"
#include "report/html/data_table.h"
#include "report/results/input_list.h"

namespace npunet::report {

[[nodiscard]] DataTable npus_table(const engine::Results& results);

/// In order of their start.
[[nodiscard]] DataTable collectives_table(const engine::Results& results);

/// Busiest first; what only some networks have (packets, pauses, ...) where something has it.
[[nodiscard]] DataTable links_table(const engine::Results& results);
[[nodiscard]] DataTable link_classes_table(const engine::Results& results);

/// Options and their values. Empty for no inputs.
[[nodiscard]] std::string inputs_table(const InputList& inputs);

}  // namespace npunet::report

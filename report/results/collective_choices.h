// What `simulate --detail` adds: why collectives are carried out as they are.
//
//     out << report::collective_choices_table(detail.choices);
#pragma once

#include <string>
#include <vector>

#include "base/json_writer.h"
#include "engine/results/collective_choice.h"

namespace npunet::report {

/// Of one workload.
struct CollectiveDetail {
    std::vector<engine::CollectiveChoice> choices;
};

/// An array, see docs/results.md.
void write_collective_choices(JsonWriter& json,
                              const std::vector<engine::CollectiveChoice>& choices);

/// For people: a row each, with the three fastest of the others; empty where nothing was chosen.
/// At most `most` rows.
[[nodiscard]] std::string collective_choices_table(
    const std::vector<engine::CollectiveChoice>& choices, std::size_t most = 16);

}  // namespace npunet::report

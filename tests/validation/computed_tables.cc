#include <utility>

#include "validation_table.h"

namespace npunet::validation {

std::vector<Table> computed_tables() {
    std::vector<Table> tables;
    for (Table (*make)() : {closed_forms, pipeline_bubbles, fidelities, bottlenecks, scenarios}) {
        if (Table table = make(); !table.rows.empty()) {
            tables.push_back(std::move(table));
        }
    }
    return tables;
}

}  // namespace npunet::validation

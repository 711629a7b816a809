#include "report/html/inputs_table.h"

#include "report/html/data_table.h"

namespace npunet::report {

std::string inputs_table(const InputList& inputs) {
    if (inputs.empty()) {
        return "";
    }
    DataTable table("inputs-table", "What the command line said", {{"option"}, {"value"}});
    for (const NamedInput& input : inputs) {
        table.add({input.name, input.value});
    }
    return table.html();
}

}  // namespace npunet::report

// What a run was made of, as a table of options and their values.
#pragma once

#include <string>

#include "report/input_list.h"

namespace npunet::report {

/// Empty for no inputs.
[[nodiscard]] std::string inputs_table(const InputList& inputs);

}  // namespace npunet::report

// npunet compare: the same inputs at several fidelities, side by side.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

void add_compare_command(CLI::App& program, CommandContext& context);

}  // namespace npunet::cli

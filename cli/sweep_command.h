// npunet sweep: a design space, point by point, with its best and Pareto-best plans.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

void add_sweep_command(CLI::App& program, CommandContext& context);

}  // namespace npunet::cli

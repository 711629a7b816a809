// npunet simulate: run a workload at one fidelity.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

void add_simulate_command(CLI::App& program, CommandContext& context);

}  // namespace npunet::cli

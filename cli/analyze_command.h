// `npunet analyze`: profiles of PyTorch, measured.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

void add_analyze_command(CLI::App& program, CommandContext& context);

}  // namespace npunet::cli

// npunet help, npunet completion, npunet manual: the program's options as people, shells and a
// manual page want them, from what --help knows.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

/// After all other commands.
void add_completion_command(CLI::App& program, CommandContext& context);
/// After all other commands.
void add_help_command(CLI::App& program, CommandContext& context);
/// After all other commands.
void add_manual_command(CLI::App& program, CommandContext& context);

}  // namespace npunet::cli

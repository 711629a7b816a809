// npunet help, npunet completion, npunet manual: the options known to --help, as text, shell
// completion script and manual page.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

/// After all other commands.
void add_completion_command(CLI::App& program, CommandContext& context);
/// After all other commands.
void add_help_command(CLI::App& program, CommandContext& context);
/// To be called after all other commands have been added.
void add_manual_command(CLI::App& program, CommandContext& context);

}  // namespace npunet::cli

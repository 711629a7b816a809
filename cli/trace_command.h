// npunet trace: look into execution traces.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

void add_trace_command(CLI::App& program, CommandContext& context);

/// The subcommands, one file each.
void add_trace_convert_command(CLI::App& trace, CommandContext& context);
void add_trace_info_command(CLI::App& trace, CommandContext& context);
void add_trace_print_command(CLI::App& trace, CommandContext& context);
void add_trace_validate_command(CLI::App& trace, CommandContext& context);

}  // namespace npunet::cli

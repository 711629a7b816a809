// npunet megatron: communication of Megatron-LM's training, as logs of its calls.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

void add_megatron_command(CLI::App& program, CommandContext& context);

/// The subcommands, one file each.
void add_megatron_trace_command(CLI::App& megatron, CommandContext& context);
void add_megatron_info_command(CLI::App& megatron, CommandContext& context);
void add_megatron_groups_command(CLI::App& megatron, CommandContext& context);
void add_megatron_permutations_command(CLI::App& megatron, CommandContext& context);
void add_megatron_convert_command(CLI::App& megatron, CommandContext& context);

}  // namespace npunet::cli

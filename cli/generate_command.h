// `npunet generate`: makes workloads. One subcommand for each kind, in a file of its own.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

void add_generate_command(CLI::App& program, CommandContext& context);

/// `npunet generate transformer`
void add_generate_transformer_command(CLI::App& generate, CommandContext& context);
/// `npunet generate pipeline`
void add_generate_pipeline_command(CLI::App& generate, CommandContext& context);
/// `npunet generate collective`
void add_generate_collective_command(CLI::App& generate, CommandContext& context);
/// `npunet generate profile`
void add_generate_profile_command(CLI::App& generate, CommandContext& context);
/// `npunet generate text`
void add_generate_text_command(CLI::App& generate, CommandContext& context);

}  // namespace npunet::cli

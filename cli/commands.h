// The subcommands of npunet, a file each: add_NAME_command() of NAME_command.cc declares one.
#pragma once

#include <cstdint>

#include "cli/command.h"

namespace npunet::cli {

void add_analyze_command(CLI::App& program, CommandContext& context);
void add_compare_command(CLI::App& program, CommandContext& context);
void add_generate_command(CLI::App& program, CommandContext& context);
void add_megatron_command(CLI::App& program, CommandContext& context);
void add_plan_command(CLI::App& program, CommandContext& context);
void add_report_command(CLI::App& program, CommandContext& context);
void add_simulate_command(CLI::App& program, CommandContext& context);
void add_sweep_command(CLI::App& program, CommandContext& context);
void add_topology_command(CLI::App& program, CommandContext& context);
void add_trace_command(CLI::App& program, CommandContext& context);

/// Of npunet generate.
void add_generate_collective_command(CLI::App& generate, CommandContext& context);
void add_generate_pipeline_command(CLI::App& generate, CommandContext& context);
void add_generate_profile_command(CLI::App& generate, CommandContext& context);
void add_generate_text_command(CLI::App& generate, CommandContext& context);
void add_generate_transformer_command(CLI::App& generate, CommandContext& context);

/// Of npunet megatron.
void add_megatron_convert_command(CLI::App& megatron, CommandContext& context);
void add_megatron_groups_command(CLI::App& megatron, CommandContext& context);
void add_megatron_info_command(CLI::App& megatron, CommandContext& context);
void add_megatron_permutations_command(CLI::App& megatron, CommandContext& context);
void add_megatron_trace_command(CLI::App& megatron, CommandContext& context);

/// Of npunet plan.
void add_plan_hostfile_command(CLI::App& plan, CommandContext& context);
void add_plan_profiles_command(CLI::App& plan, CommandContext& context);
/// More layers in a profile are rejected as a mistake.
inline constexpr std::int64_t most_layers = 4096;

/// Of npunet trace.
void add_trace_convert_command(CLI::App& trace, CommandContext& context);
void add_trace_info_command(CLI::App& trace, CommandContext& context);
void add_trace_print_command(CLI::App& trace, CommandContext& context);
void add_trace_validate_command(CLI::App& trace, CommandContext& context);

/// They describe the commands that have been added before.
void add_completion_command(CLI::App& program, CommandContext& context);
void add_help_command(CLI::App& program, CommandContext& context);
void add_manual_command(CLI::App& program, CommandContext& context);

}  // namespace npunet::cli

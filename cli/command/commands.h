// The subcommands of npunet, and what each of them is given.
//
// A subcommand is one file NAME_command.cc with one function add_NAME_command(program, context)
// that declares its options on a CLI11 subcommand and sets the callback; commands that only group
// others are in command_groups.cc. Failures are exceptions (base/errors.h); the program's main()
// turns them into one message and the exit code. Option names are declared with dashes; main()
// accepts underscores too.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <ostream>

namespace npunet::cli {

struct CommandContext {
    std::ostream& out;  ///< stdout: what people read, or the one JSON document
    std::ostream& log;  ///< stderr: progress and warnings
};

void add_analyze_command(CLI::App& program, CommandContext& context);
void add_collective_command(CLI::App& program, CommandContext& context);
void add_compare_command(CLI::App& program, CommandContext& context);
void add_device_command(CLI::App& program, CommandContext& context);
void add_generate_command(CLI::App& program, CommandContext& context);
void add_megatron_command(CLI::App& program, CommandContext& context);
void add_plan_command(CLI::App& program, CommandContext& context);
void add_record_command(CLI::App& program, CommandContext& context);
void add_report_command(CLI::App& program, CommandContext& context);
void add_simulate_command(CLI::App& program, CommandContext& context);
void add_sweep_command(CLI::App& program, CommandContext& context);
void add_topology_command(CLI::App& program, CommandContext& context);
void add_trace_command(CLI::App& program, CommandContext& context);
void add_validate_command(CLI::App& program, CommandContext& context);

/// Of npunet collective.
void add_collective_fit_command(CLI::App& collective, CommandContext& context);

/// Of npunet device.
void add_device_fit_command(CLI::App& device, CommandContext& context);

/// Of npunet generate.
void add_generate_collective_command(CLI::App& generate, CommandContext& context);
void add_generate_flows_command(CLI::App& generate, CommandContext& context);
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

/// Of npunet validate.
void add_validate_collectives_command(CLI::App& validate, CommandContext& context);
void add_validate_kernels_command(CLI::App& validate, CommandContext& context);
void add_validate_steps_command(CLI::App& validate, CommandContext& context);

/// They describe the commands that have been added before.
void add_completion_command(CLI::App& program, CommandContext& context);
void add_help_command(CLI::App& program, CommandContext& context);
void add_manual_command(CLI::App& program, CommandContext& context);

}  // namespace npunet::cli

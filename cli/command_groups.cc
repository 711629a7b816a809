// The commands that only group others.
#include "cli/command/commands.h"

namespace npunet::cli {

void add_generate_command(CLI::App& program, CommandContext& context) {
    CLI::App* generate = program.add_subcommand(
        "generate", "Make a workload: one Chakra trace an NPU and the communicator groups");
    generate->require_subcommand(1);
    generate->footer(
        "Example:\n"
        "  npunet generate transformer --model llama2-4layer --tp 2 --output-dir traces");
    add_generate_transformer_command(*generate, context);
    add_generate_collective_command(*generate, context);
    add_generate_flows_command(*generate, context);
    add_generate_pipeline_command(*generate, context);
    add_generate_profile_command(*generate, context);
    add_generate_text_command(*generate, context);
}

void add_megatron_command(CLI::App& program, CommandContext& context) {
    CLI::App* megatron = program.add_subcommand(
        "megatron", "Communication of Megatron-LM: logs, groups, permutations, traces");
    megatron->require_subcommand(1);
    megatron->footer(
        "Example:\n"
        "  npunet megatron trace --model small --dp 2 --tp 2 --pp 2 --output-dir comm_logs\n"
        "  npunet megatron groups --tp 2 --pp 4 --dp 2");
    add_megatron_trace_command(*megatron, context);
    add_megatron_info_command(*megatron, context);
    add_megatron_convert_command(*megatron, context);
    add_megatron_groups_command(*megatron, context);
    add_megatron_permutations_command(*megatron, context);
}

void add_trace_command(CLI::App& program, CommandContext& context) {
    CLI::App* trace =
        program.add_subcommand("trace", "Look into Chakra execution traces, one rank's or all");
    trace->require_subcommand(1);
    trace->footer(
        "Example:\n"
        "  npunet generate collective --type all_reduce --size 1MiB --npus 4 --output-dir ring\n"
        "  npunet trace info ring/workload.0.et\n"
        "  npunet trace validate ring/workload --comm-group ring/comm_group.json");
    add_trace_info_command(*trace, context);
    add_trace_print_command(*trace, context);
    add_trace_validate_command(*trace, context);
    add_trace_convert_command(*trace, context);
}

void add_validate_command(CLI::App& program, CommandContext& context) {
    CLI::App* validate =
        program.add_subcommand("validate", "Measurements of real machines beside simulations");
    validate->require_subcommand(1);
    validate->footer(
        "Examples:\n"
        "  npunet validate collectives\n"
        "  npunet validate kernels validation/kernels-h100-gemm.csv --where state=rested");
    add_validate_collectives_command(*validate, context);
    add_validate_kernels_command(*validate, context);
    add_validate_steps_command(*validate, context);
}

}  // namespace npunet::cli

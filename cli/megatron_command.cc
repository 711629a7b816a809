#include "cli/commands.h"

namespace npunet::cli {

void add_megatron_command(CLI::App& program, CommandContext& context) {
    CLI::App* megatron = program.add_subcommand(
        "megatron", "Communication of Megatron-LM: logs, groups, permutations, traces");
    megatron->require_subcommand(1);
    megatron->footer(
        "Example:\n"
        "  npunet megatron trace --model-size small --dp 2 --tp 2 --pp 2 --output-dir comm_logs\n"
        "  npunet megatron groups --tp 2 --pp 4 --dp 2");
    add_megatron_trace_command(*megatron, context);
    add_megatron_info_command(*megatron, context);
    add_megatron_convert_command(*megatron, context);
    add_megatron_groups_command(*megatron, context);
    add_megatron_permutations_command(*megatron, context);
}

}  // namespace npunet::cli

#include "cli/commands.h"

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
    add_generate_pipeline_command(*generate, context);
    add_generate_profile_command(*generate, context);
    add_generate_text_command(*generate, context);
}

}  // namespace npunet::cli

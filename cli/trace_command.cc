#include "cli/commands.h"

namespace npunet::cli {

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

}  // namespace npunet::cli

// `npunet topology NETWORK.yml`: what a network consists of, and the route between two NPUs.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

void add_topology_command(CLI::App& program, CommandContext& context);

}  // namespace npunet::cli

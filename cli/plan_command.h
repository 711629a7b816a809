// npunet plan: which parallel plan is the best on a cluster of unlike devices, and what such a
// search reads.
#pragma once

#include "cli/command.h"

namespace npunet::cli {

void add_plan_command(CLI::App& program, CommandContext& context);

/// npunet plan profiles.
void add_plan_profiles_command(CLI::App& plan, CommandContext& context);
/// npunet plan hostfile.
void add_plan_hostfile_command(CLI::App& plan, CommandContext& context);

}  // namespace npunet::cli

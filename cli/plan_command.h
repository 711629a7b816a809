// npunet plan: which parallel plan is the best on a cluster of unlike devices, and what such a
// search reads.
#pragma once

#include <cstdint>

#include "cli/command.h"

namespace npunet::cli {

/// Layers of a profile: more are taken for a mistake.
inline constexpr std::int64_t most_layers = 4096;

void add_plan_command(CLI::App& program, CommandContext& context);

/// npunet plan profiles.
void add_plan_profiles_command(CLI::App& plan, CommandContext& context);
/// npunet plan hostfile.
void add_plan_hostfile_command(CLI::App& plan, CommandContext& context);

}  // namespace npunet::cli

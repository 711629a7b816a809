// --force of the commands that write results to --output-dir (report/results_owner.h).
#pragma once

#include <CLI/CLI.hpp>

namespace npunet::cli {

inline void add_force_flag(CLI::App& command, bool& force) {
    command.add_flag("--force", force, "Write over the results of another command");
}

}  // namespace npunet::cli

// A command as it can be typed again, as results keep it: "npunet simulate --network ring.yml".
//
//     const std::string command = command_text(*app);
//
// Options that decide where and how something is shown or how fast it goes are left out, and the
// others stand in the order of --help: command lines that mean the same run have the same text.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace npunet::cli {

/// "npunet generate transformer".
[[nodiscard]] std::string path_of(const CLI::App& level);

/// Whether an option on the command line has a say in the results: not --jobs, --quiet, --json,
/// --force, --output-dir, --restart and --mpi.
[[nodiscard]] bool decides_results(const CLI::Option& option);

/// Of a command that has been parsed; values are quoted for a shell where they need it.
[[nodiscard]] std::string command_text(const CLI::App& command);

}  // namespace npunet::cli

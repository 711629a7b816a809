// A command line that can be run again, as stored in results: "npunet simulate --network ring.yml".
//
//     const std::string command = command_text(*app);
//
// Options that only affect output or speed are left out, the others are in the order of --help:
// equivalent command lines have the same text.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace npunet::cli {

/// "npunet generate transformer".
[[nodiscard]] std::string path_of(const CLI::App& level);

/// Whether an option of the command line affects results: not --jobs, --quiet, --json, --force,
/// --output-dir, --restart and --mpi.
[[nodiscard]] bool decides_results(const CLI::Option& option);

/// The text of a parsed command; values are quoted for a shell where necessary.
[[nodiscard]] std::string command_text(const CLI::App& command);

}  // namespace npunet::cli

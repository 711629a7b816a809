// The npunet program: its subcommands, the exit codes that every one of them shares, its version.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace npunet::cli {

/// Runs the program on arguments (without argv[0]). Returns 0 done, 1 our bug, 2 bad input, 3 the
/// simulation stalled, 4 the machine failed us; errors are one message on `log`.
int run_program(std::vector<std::string> arguments, std::ostream& out, std::ostream& log);

/// "0.1.0".
[[nodiscard]] std::string version();
/// "npunet 0.1.0 (Release, GNU 12.2.0, MPI)".
[[nodiscard]] std::string version_and_build();

}  // namespace npunet::cli

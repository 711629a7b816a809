// The npunet program: its subcommands, and the exit codes that every one of them shares.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace npunet::cli {

/// Runs the program on arguments (without argv[0]). Returns 0 done, 1 our bug, 2 bad input, 3 the
/// simulation stalled, 4 the machine failed us; errors are one message on `log`.
int run_program(std::vector<std::string> arguments, std::ostream& out, std::ostream& log);

}  // namespace npunet::cli

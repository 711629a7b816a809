// What every subcommand of the npunet program is given, and how it reports back.
//
// A subcommand is one file with one function add_NAME_command(program, context) that declares its
// options on a CLI11 subcommand and sets the callback. Failures are exceptions (base/errors.h); the
// program's main() turns them into one message and the exit code. Option names are declared with
// dashes; main() accepts underscores too.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>

namespace npunet::cli {

struct CommandContext {
    std::ostream& out;  ///< stdout: what people read, or the one JSON document
    std::ostream& log;  ///< stderr: progress and warnings
};

}  // namespace npunet::cli

// The option parser's errors, told as bad input is: option, what was found, expected, what to do.
//
//     try { program.parse(arguments); }
//     catch (const CLI::ParseError& error) { throw bad_input_of(error, program); }
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/errors.h"

namespace npunet::cli {

/// Throws InputError where a level of the program needs a subcommand and another word stands there,
/// and proposes the nearest name.
void check_subcommands(const CLI::App& program, const std::vector<std::string>& arguments);

/// The command that the words name. Throws InputError with the nearest name if there is none.
[[nodiscard]] const CLI::App& subcommand_of(const CLI::App& program,
                                            const std::vector<std::string>& words);

/// `program` has just thrown `error`.
[[nodiscard]] InputError bad_input_of(const CLI::ParseError& error, const CLI::App& program);

}  // namespace npunet::cli

// What values of options must look like: checks for CLI11 that say what was found, what is expected
// and what to do, as an InputError does.
//
//     command.add_option("--dp", dp)->check(whole_number(1, 1024));
//     // --dp: found '1.5'; expected a whole number from 1 to 1024
//
// Parsing stops at the first value that a check refuses; cli/program.cc prints what it says.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace npunet::cli {

/// The group of the options that say which model it is, in the help.
inline constexpr const char* model_group = "Model";

/// Decimal digits, and a minus sign where `least` is negative.
[[nodiscard]] CLI::Validator whole_number(
    std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// Ids of nodes, separated by commas: decimal digits, up to 2^64 - 1.
[[nodiscard]] CLI::Validator node_ids();
/// The ids of values that this check has let pass.
[[nodiscard]] std::vector<std::uint64_t> ids_from(const std::vector<std::string>& values);

/// A decimal number.
[[nodiscard]] CLI::Validator number(double least, double most);

/// One of the words, which the help shows.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

/// A path that is a folder or can become one: refuses files, and paths through files.
[[nodiscard]] CLI::Validator output_folder();

/// The parts of a list whose separator is the comma, empty ones included; every value of an option
/// may be such a list.
[[nodiscard]] std::vector<std::string> list_items(const std::vector<std::string>& values);

}  // namespace npunet::cli

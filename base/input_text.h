// The whole text of a file that is read at once, with errors that say why there is none, and how
// much a YAML or JSON document in it may hold. Beyond these limits it is refused before anything is
// made of it: what people write stays far below, and hostile documents cost little.
//
//     const std::string text = read_input_text("net.yml", "a network description", "Check the
//     path");
//
// For the files that people write; traces, logs and profiles have readers of their own, which read
// piece by piece. C++17-clean.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace npunet {

/// What no file of this kind has, in bytes. A device without an end has.
inline constexpr std::size_t longest_input_text = std::size_t{256} << 20;

/// `expected` and `remedy` are for the message. Throws InputError for a file that is missing, a
/// folder or of more than `longest` bytes, and MachineError for one that the system does not let us
/// open or read to its end. An empty one is an empty text.
[[nodiscard]] std::string read_input_text(const std::filesystem::path& file,
                                          const std::string& expected, const std::string& remedy,
                                          std::size_t longest = longest_input_text);

/// How deep lists and maps may lie in each other.
inline constexpr std::size_t deepest_input = 64;
/// How many values there may be: lists, maps, keys and what is in them, counted each time that an
/// alias names them. In memory a value takes about 0.5 kB.
inline constexpr std::size_t most_input_values = std::size_t{1} << 22;

/// For a list or map that lies in `depth` - 1 others. Throws InputError beyond deepest_input;
/// `file` and `place` are where that is.
void check_input_depth(std::size_t depth, const std::string& file, const std::string& place);

/// For as many values as there are so far. Throws InputError beyond most_input_values.
void check_input_values(std::size_t values, const std::string& file, const std::string& place);

}  // namespace npunet

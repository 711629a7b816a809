// The whole text of a file that is read at once, with errors that say why there is none.
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

}  // namespace npunet

// Text of others in messages: whatever bytes a file or the name of a file has, a message stays one
// line that a terminal shows as it is, and short enough to be read.
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace npunet {

/// Bytes of the character of UTF-8 that begins at `place`; 0 for none, or for a control character
/// of ASCII. RFC 3629, section 4.
[[nodiscard]] std::size_t character_length(std::string_view text, std::size_t place);

/// Whether a two-byte control character of U+0080 to U+009F, which some terminals interpret, begins
/// at `place`.
[[nodiscard]] bool is_late_control(std::string_view text, std::size_t place);

/// The text with every control character and every byte that is not UTF-8 written as in C, with a
/// backslash. Of a text of more than `longest` bytes, 100 at least, the middle is left out, and its
/// length is said.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest);
/// The same, limited to 4096 bytes: for a line of output.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace npunet

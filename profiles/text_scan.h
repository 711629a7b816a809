// Small steps through a line of text.
//
//     std::string_view rest = "Group 3: [0, 1]";
//     take(rest, "Group ");                // true; rest is "3: [0, 1]"
//     take_number(rest);                   // 3; rest is ": [0, 1]"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace npunet::profiles {

/// Without blanks at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] bool starts(std::string_view text, std::string_view with);
/// Takes the word from the front, if it is there.
bool take(std::string_view& text, std::string_view word);
void skip_blanks(std::string_view& text);
/// Takes decimal digits from the front; nothing, and takes nothing, where there are none or the
/// number passes 63 bits.
std::optional<std::int64_t> take_number(std::string_view& text);

/// In quotes, cut and printable, for messages.
[[nodiscard]] std::string excerpt(std::string_view text);

/// Dashes alone.
[[nodiscard]] bool is_rule(std::string_view line);
/// Capitals, blanks and parentheses alone.
[[nodiscard]] bool could_be_title(std::string_view text);

}  // namespace npunet::profiles

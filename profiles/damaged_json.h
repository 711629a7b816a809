// JSON that is none, as profilers have written it: where a value ends all the same, and what can be
// made of it.
//
//     const std::size_t length = value_length(text);        // npos: it does not end in this text
//     const std::string whole = repaired(text.substr(0, length));
//
// For the sources of this folder only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace npunet::profiles {

/// How long the JSON value is that the text begins with: to the bracket that closes it, or up to
/// the comma or bracket after a bare word or a string; npos when the text ends before.
[[nodiscard]] std::size_t value_length(std::string_view text);

/// The same text with null where a value is missing ("key": ,) or is a bare word that JSON does not
/// have (NaN, nan, Infinity), with control characters in strings as blanks, and backslashes that
/// escape nothing doubled.
[[nodiscard]] std::string repaired(std::string_view text);

/// Where the next event seems to begin, at or after `from`: a brace followed by a usual first key
/// of an event; npos when there is none.
[[nodiscard]] std::size_t next_event(std::string_view text, std::size_t from);

}  // namespace npunet::profiles

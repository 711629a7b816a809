// Untrusted text as fields of a CSV file that a spreadsheet may open.
//
//     out << csv_field(name) << ',' << bytes << '\n';
//
// C++17-clean.
#pragma once

#include <string>
#include <string_view>

namespace npunet {

/// One field, quoted where needed (RFC 4180). Control characters and bytes that are not UTF-8 are
/// escaped as in C; text that a spreadsheet would evaluate as a formula (= + - @ in front of
/// anything but a number) gets a leading apostrophe.
[[nodiscard]] std::string csv_field(std::string_view text);

/// Quoted where needed, bytes unchanged: for dialects that reproduce another tool's output.
[[nodiscard]] std::string plain_csv_field(std::string_view text);

}  // namespace npunet

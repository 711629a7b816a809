// Texts of others as fields of a CSV file that a spreadsheet may open.
//
//     out << csv_field(name) << ',' << bytes << '\n';
//
// C++17-clean.
#pragma once

#include <string>
#include <string_view>

namespace npunet {

/// One field, quoted where it must be (RFC 4180). Control characters and bytes that are not UTF-8
/// are written as in C; what a spreadsheet would take for a formula (= + - @ in front of anything
/// but a number) gets an apostrophe in front.
[[nodiscard]] std::string csv_field(std::string_view text);

/// The same as it is, for dialects that keep the bytes of others: quoted where it must be.
[[nodiscard]] std::string plain_csv_field(std::string_view text);

}  // namespace npunet

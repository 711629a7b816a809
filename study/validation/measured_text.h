// Texts of rows of measured values: numbers beside words, and the table that they stand in.
//
//     number_before("8 x HDR 200 Gb/s per node", "Gb/s");    // 200
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/csv_table.h"

namespace npunet::study {

[[nodiscard]] std::string lower_case(std::string text);
[[nodiscard]] bool has_part(std::string_view text, std::string_view part);

/// A finite number that is the whole text.
[[nodiscard]] std::optional<double> number_of(std::string_view text);
/// The number in front of the first such word, spaces between them.
[[nodiscard]] std::optional<double> number_before(std::string_view text, std::string_view word);
/// The number that begins right behind the first such word.
[[nodiscard]] std::optional<double> number_after(std::string_view text, std::string_view word);

/// A table with the columns `value` and `quantity`. Throws InputError; `rows`: "measured steps";
/// `columns`: what the header should have; `example`: a file that comes with npunet.
[[nodiscard]] CsvTable read_measured_table(const std::string& path, const std::string& rows,
                                           const std::string& columns, const std::string& example);

}  // namespace npunet::study

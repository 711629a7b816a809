// A CSV file with a header line, as a table of texts (RFC 4180: quoted fields may hold commas,
// quotes and line ends).
//
//     const CsvTable table = read_csv_table(path, {"measured rows", "Check the path"});
//     for (std::size_t row = 0; row < table.rows(); ++row) {
//         const std::string& id = table.text(row, "id");    // "" where the file has no such column
//     }
//
// C++17-clean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace npunet {

/// The expected kind of file, for error messages.
struct CsvKind {
    std::string expected;  ///< "measured rows"
    std::string remedy;    ///< what to do if the file is missing
};

class CsvTable {
public:
    /// Throws InputError with the line: a file without a header, a column that is there twice, a
    /// row with more or fewer fields than the header, a quote that does not end.
    CsvTable(std::string file, const std::string& text, const CsvKind& kind);

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] std::size_t rows() const { return lines_.size(); }
    /// The line in the file where the row begins, from 1.
    [[nodiscard]] std::size_t line(std::size_t row) const { return lines_[row]; }
    [[nodiscard]] bool has(std::string_view column) const;
    /// Empty where the file lacks the column.
    [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;

private:
    [[nodiscard]] std::size_t column_of(std::string_view name) const;

    std::string file_;
    std::vector<std::string> columns_;
    std::vector<std::string> fields_;  ///< row by row
    std::vector<std::size_t> lines_;
    std::string empty_;
};

/// Throws InputError, also where the file cannot be read.
[[nodiscard]] CsvTable read_csv_table(const std::string& path, const CsvKind& kind);

}  // namespace npunet

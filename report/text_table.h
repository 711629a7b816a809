// A table for the console: columns as wide as their widest cell, text to the left, numbers to the
// right.
//
//     TextTable table({"link", "bytes"}, 1);          // one column of text, the rest numbers
//     table.add({"npu0 -> npu1", "64 MiB"});
//     out << table.text();
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace npunet::report {

class TextTable {
public:
    /// The first `text_columns` columns are aligned to the left, the others to the right.
    explicit TextTable(std::vector<std::string> heading, std::size_t text_columns = 1);

    /// As many cells as the heading has. Control characters are escaped, so that a row stays one
    /// line (base/printable.h).
    void add(std::vector<std::string> row);

    /// The heading, a rule, and the rows, each ended by a line feed and without blanks at its end.
    [[nodiscard]] std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
    std::size_t text_columns_;
};

}  // namespace npunet::report

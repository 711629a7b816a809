#include "report/text_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/printable.h"

namespace npunet::report {

namespace {

/// UTF-8 code points: every byte but the continuations.
std::size_t width_of(const std::string& cell) {
    return static_cast<std::size_t>(std::count_if(cell.begin(), cell.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> heading, std::size_t text_columns)
    : rows_{std::move(heading)}, text_columns_(text_columns) {}

void TextTable::add(std::vector<std::string> row) {
    assert(row.size() == rows_.front().size());
    for (std::string& cell : row) {
        cell = printable(cell);
    }
    rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    std::size_t total = 0;
    for (std::size_t column = 0; column < widths.size(); ++column) {
        for (const auto& row : rows_) {
            widths[column] = std::max(widths[column], width_of(row[column]));
        }
        total += widths[column] + (column == 0 ? 0 : 2);
    }
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t column = 0; column < widths.size(); ++column) {
            const std::string padding(widths[column] - width_of(row[column]), ' ');
            line += column == 0 ? "" : "  ";
            line += column < text_columns_ ? row[column] + padding : padding + row[column];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
        if (&row == &rows_.front()) {
            text += std::string(total, '-') + '\n';
        }
    }
    return text;
}

}  // namespace npunet::report

#include "report/profile/column_table.h"

#include <iterator>
#include <string_view>

#include "base/json_writer.h"
#include "report/results/csv.h"

namespace npunet::report {

namespace {

std::string text_of(std::int64_t number) {
    return std::to_string(number);
}

std::string text_of(double number) {
    return shortest(number);
}

std::size_t rows_of(const ColumnTable::Values& values) {
    return std::visit(
        [](const auto& column) -> std::size_t {
            if constexpr (requires { column.rows; }) {
                return column.rows;
            } else {
                return column.size();
            }
        },
        values);
}

using Field = std::string (*)(std::string_view);

std::string cell(const ColumnTable::Values& values, std::size_t row, Field field) {
    return std::visit(
        [&](const auto& column) -> std::string {
            if constexpr (requires { column.rows; }) {
                return {};
            } else if constexpr (requires { field(column[row]); }) {
                return field(column[row]);
            } else {
                return text_of(column[row]);
            }
        },
        values);
}

}  // namespace

std::size_t ColumnTable::rows() const {
    return columns.empty() ? 0 : rows_of(columns.front().values);
}

void ColumnTable::append(ColumnTable other) {
    if (columns.empty()) {
        columns = std::move(other.columns);
        return;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        std::visit(
            [&](auto& mine) {
                auto& theirs = std::get<std::decay_t<decltype(mine)>>(other.columns[i].values);
                if constexpr (requires { mine.rows; }) {
                    mine.rows += theirs.rows;
                } else {
                    mine.insert(mine.end(), std::make_move_iterator(theirs.begin()),
                                std::make_move_iterator(theirs.end()));
                }
            },
            columns[i].values);
    }
}

std::string csv_of(const ColumnTable& table, CsvTexts texts) {
    const Field field = texts == CsvTexts::Harmless ? csv_field : plain_csv_field;
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        text += i == 0 ? "" : ",";
        text += field(table.columns[i].name);
    }
    text += '\n';
    for (std::size_t row = 0; row < table.rows(); ++row) {
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            text += i == 0 ? "" : ",";
            text += cell(table.columns[i].values, row, field);
        }
        text += '\n';
    }
    return text;
}

}  // namespace npunet::report

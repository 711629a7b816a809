// A table of numbers and texts, column by column, as CSV, SQLite and Parquet files hold it.
//
//     ColumnTable table("ranks");
//     table.column("rank", std::vector<std::int64_t>{0, 1});
//     table.column("iteration", std::vector<std::string>{"iteration_15", "iteration_15"});
//     out << csv_of(table);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace npunet::report {

struct ColumnTable {
    /// A column without values: null in every row.
    struct Nulls {
        std::size_t rows = 0;
    };
    using Values = std::variant<std::vector<std::int64_t>, std::vector<double>,
                                std::vector<std::string>, Nulls>;
    struct Column {
        std::string name;
        Values values;
    };

    std::string name;
    std::vector<Column> columns;  ///< of equal length

    explicit ColumnTable(std::string table_name) : name(std::move(table_name)) {}

    void column(std::string column_name, Values values) {
        columns.push_back({std::move(column_name), std::move(values)});
    }
    [[nodiscard]] std::size_t rows() const;
    /// The rows of another table with the same columns, behind these.
    void append(ColumnTable other);
};

/// Text in CSV: escaped for spreadsheets (csv_field), or unchanged (plain_csv_field).
enum class CsvTexts : std::uint8_t { Harmless, Kept };

/// The first line names the columns; fields as in csv.h; numbers in their shortest form.
[[nodiscard]] std::string csv_of(const ColumnTable& table, CsvTexts texts = CsvTexts::Harmless);

/// A database of SQLite with these tables, as the bytes of its file. Throws MachineError.
[[nodiscard]] std::string sqlite_of(const std::vector<ColumnTable>& tables);

/// A Parquet file (github.com/apache/parquet-format, format version 1): one row group, one page a
/// column, plain encoding, not compressed. Columns of numbers are INT64 or DOUBLE and required, of
/// texts BYTE_ARRAY (UTF8) and required; a column without values is an optional INT64 of nulls. A
/// column may have at most 2 GiB; throws MachineError beyond.
[[nodiscard]] std::string parquet_of(const ColumnTable& table);

}  // namespace npunet::report

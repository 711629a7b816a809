#include "report/profile/column_table.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "base/errors.h"
#include "report/profile/thrift_writer.h"

namespace npunet::report {

namespace {

constexpr std::string_view magic = "PAR1";

// parquet.thrift's numbers.
enum PhysicalType : std::int32_t { int64 = 2, double_precision = 5, byte_array = 6 };
enum Repetition : std::int32_t { required = 0, optional = 1 };
enum Encoding : std::int32_t { plain = 0, run_length = 3 };
constexpr std::int32_t converted_utf8 = 0;
constexpr std::int32_t data_page = 0;
constexpr std::int32_t uncompressed = 0;

void append(std::uint64_t value, std::size_t bytes, std::string& out) {
    for (std::size_t i = 0; i < bytes; ++i) {
        out += static_cast<char>(value >> (8 * i) & 0xFFU);
    }
}

void append(const std::vector<std::int64_t>& values, std::string& out) {
    for (const std::int64_t value : values) {
        append(static_cast<std::uint64_t>(value), 8, out);
    }
}

void append(const std::vector<double>& values, std::string& out) {
    for (const double value : values) {
        append(std::bit_cast<std::uint64_t>(value), 8, out);
    }
}

void append(const std::vector<std::string>& values, std::string& out) {
    for (const std::string& value : values) {
        append(value.size(), 4, out);
        out += value;
    }
}

/// Definition levels alone: a run of zeros, of one bit each, behind its length in bytes.
void append(const ColumnTable::Nulls& values, std::string& out) {
    std::string run;
    std::uint64_t header = static_cast<std::uint64_t>(values.rows) << 1;
    for (; header > 0x7F; header >>= 7) {
        append(header | 0x80U, 1, run);
    }
    append(header, 1, run);
    append(0, 1, run);
    append(run.size(), 4, out);
    out += run;
}

PhysicalType physical_type(const ColumnTable::Values& values) {
    constexpr PhysicalType types[] = {int64, double_precision, byte_array, int64};
    return types[values.index()];
}

bool is_null(const ColumnTable::Values& values) {
    return std::holds_alternative<ColumnTable::Nulls>(values);
}

bool is_text(const ColumnTable::Values& values) {
    return std::holds_alternative<std::vector<std::string>>(values);
}

struct Chunk {
    std::size_t offset = 0;
    std::size_t bytes = 0;
};

Chunk append_column(const ColumnTable::Column& column, std::size_t rows, std::string& file) {
    std::string values;
    std::visit([&](const auto& of_type) { append(of_type, values); }, column.values);
    if (values.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw MachineError(fmt::format(
            "the column '{}' has {} bytes, more than a page of Parquet can. Use --format sqlite",
            column.name, values.size()));
    }
    const auto size = static_cast<std::int32_t>(values.size());
    ThriftWriter header;
    header.begin_struct();
    header.i32(1, data_page);
    header.i32(2, size);
    header.i32(3, size);
    header.struct_field(5);
    header.begin_struct();
    header.i32(1, static_cast<std::int32_t>(rows));
    header.i32(2, plain);
    header.i32(3, run_length);
    header.i32(4, run_length);
    header.end_struct();
    header.end_struct();
    const Chunk chunk{file.size(), header.bytes().size() + values.size()};
    file += header.bytes();
    file += values;
    return chunk;
}

void write_schema(const ColumnTable& table, ThriftWriter& out) {
    out.list_of_structs(2, table.columns.size() + 1);
    out.begin_struct();
    out.text(4, "schema");
    out.i32(5, static_cast<std::int32_t>(table.columns.size()));
    out.end_struct();
    for (const ColumnTable::Column& column : table.columns) {
        out.begin_struct();
        out.i32(1, physical_type(column.values));
        out.i32(3, is_null(column.values) ? optional : required);
        out.text(4, column.name);
        if (is_text(column.values)) {
            out.i32(6, converted_utf8);
        }
        out.end_struct();
    }
}

void write_chunk(const ColumnTable::Column& column, const Chunk& chunk, std::size_t rows,
                 ThriftWriter& out) {
    out.begin_struct();
    out.i64(2, static_cast<std::int64_t>(chunk.offset));
    out.struct_field(3);
    out.begin_struct();
    out.i32(1, physical_type(column.values));
    out.list_of_i32(2, 2);
    out.item(plain);
    out.item(run_length);
    out.list_of_text(3, 1);
    out.item(std::string_view(column.name));
    out.i32(4, uncompressed);
    out.i64(5, static_cast<std::int64_t>(rows));
    out.i64(6, static_cast<std::int64_t>(chunk.bytes));
    out.i64(7, static_cast<std::int64_t>(chunk.bytes));
    out.i64(9, static_cast<std::int64_t>(chunk.offset));
    out.end_struct();
    out.end_struct();
}

}  // namespace

std::string parquet_of(const ColumnTable& table) {
    const std::size_t rows = table.rows();
    std::string file(magic);
    std::vector<Chunk> chunks;
    for (const ColumnTable::Column& column : table.columns) {
        chunks.push_back(append_column(column, rows, file));
    }
    ThriftWriter footer;
    footer.begin_struct();
    footer.i32(1, 1);
    write_schema(table, footer);
    footer.i64(3, static_cast<std::int64_t>(rows));
    footer.list_of_structs(4, 1);
    footer.begin_struct();
    footer.list_of_structs(1, table.columns.size());
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        write_chunk(table.columns[i], chunks[i], rows, footer);
    }
    footer.i64(2, static_cast<std::int64_t>(file.size() - magic.size()));
    footer.i64(3, static_cast<std::int64_t>(rows));
    footer.end_struct();
    footer.text(6, "npunet");
    footer.end_struct();
    file += footer.bytes();
    append(footer.bytes().size(), 4, file);
    file += magic;
    return file;
}

}  // namespace npunet::report

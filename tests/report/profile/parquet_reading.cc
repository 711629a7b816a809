#include "parquet_reading.h"

#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

namespace npunet::report {

namespace {

/// A value of Thrift's compact protocol: a number, a text, or fields or items.
struct Value {
    std::int64_t number = 0;
    std::string text;
    std::map<int, Value> fields;
    std::vector<Value> items;

    [[nodiscard]] const Value& at(int field) const { return fields.at(field); }
};

class ThriftReader {
public:
    explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

    Value structure() {
        Value value;
        int field = 0;
        for (unsigned head = byte(); head != 0; head = byte()) {
            if (head >> 4 == 0) {
                throw std::runtime_error("a field's number in full, which was not expected");
            }
            field += static_cast<int>(head >> 4);
            value.fields.emplace(field, of_type(head & 0xFU));
        }
        return value;
    }

    [[nodiscard]] std::size_t at() const { return at_; }

private:
    unsigned byte() { return static_cast<unsigned char>(bytes_.at(at_++)); }
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const unsigned next = byte();
            value |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
            if (next < 0x80) {
                return value;
            }
        }
    }
    Value of_type(unsigned type) {
        Value value;
        if (type == 5 || type == 6) {
            const std::uint64_t zigzag = varint();
            value.number =
                static_cast<std::int64_t>(zigzag >> 1) ^ -static_cast<std::int64_t>(zigzag & 1);
        } else if (type == 8) {
            const std::size_t length = varint();
            value.text = bytes_.substr(at_, length);
            at_ += length;
        } else if (type == 9) {
            const unsigned head = byte();
            const std::size_t items = head >> 4 == 15 ? varint() : head >> 4;
            for (std::size_t i = 0; i < items; ++i) {
                value.items.push_back(of_type(head & 0xFU));
            }
        } else if (type == 12) {
            value = structure();
        } else {
            throw std::runtime_error("a type of Thrift that was not expected");
        }
        return value;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
};

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        value |= std::uint64_t{static_cast<unsigned char>(bytes.at(at + i))} << (8 * i);
    }
    return value;
}

void expect(bool holds, const char* what) {
    if (!holds) {
        throw std::runtime_error(what);
    }
}

void read_values(std::string_view page, std::size_t rows, ReadColumn& column) {
    std::size_t at = 0;
    if (column.repetition == 1) {
        // Definition levels in run-length encoding: a run (low bit 0) of `rows` zeros.
        const std::size_t length = little_endian(page, 0, 4);
        std::uint64_t header = 0;
        std::size_t i = 4;
        for (unsigned shift = 0;; shift += 7) {
            const auto next = static_cast<unsigned char>(page.at(i++));
            header |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
            if (next < 0x80) {
                break;
            }
        }
        expect((header & 1) == 0 && header >> 1 == rows && page.at(i) == '\0', "levels");
        expect(length + 4 == page.size() && i + 1 == page.size(), "length of levels");
        column.nulls = rows;
        return;
    }
    for (std::size_t row = 0; row < rows; ++row) {
        if (column.type == 2) {
            column.numbers.push_back(static_cast<std::int64_t>(little_endian(page, at, 8)));
            at += 8;
        } else if (column.type == 5) {
            column.reals.push_back(std::bit_cast<double>(little_endian(page, at, 8)));
            at += 8;
        } else {
            const std::size_t length = little_endian(page, at, 4);
            column.texts.emplace_back(page.substr(at + 4, length));
            at += 4 + length;
        }
    }
    expect(at == page.size(), "bytes behind the values");
}

}  // namespace

ReadTable read_parquet(std::string_view file) {
    expect(file.substr(0, 4) == "PAR1" && file.substr(file.size() - 4) == "PAR1", "magic");
    const std::size_t footer = little_endian(file, file.size() - 8, 4);
    ThriftReader reader(file.substr(file.size() - 8 - footer, footer));
    const Value data = reader.structure();
    expect(reader.at() == footer, "bytes behind the footer");
    ReadTable table;
    table.version = data.at(1).number;
    table.rows = data.at(3).number;
    const auto& schema = data.at(2).items;
    expect(schema.front().at(5).number + 1 == static_cast<std::int64_t>(schema.size()), "schema");
    expect(data.at(4).items.size() == 1, "row groups");
    const Value& group = data.at(4).items.front();
    expect(group.at(3).number == table.rows, "rows of the group");
    std::int64_t bytes = 0;
    for (std::size_t i = 1; i < schema.size(); ++i) {
        ReadColumn column;
        column.name = schema[i].at(4).text;
        column.type = schema[i].at(1).number;
        column.repetition = schema[i].at(3).number;
        column.converted = schema[i].fields.contains(6) ? schema[i].at(6).number : -1;
        const Value& chunk = group.at(1).items.at(i - 1).at(3);
        expect(chunk.at(1).number == column.type, "type of a chunk");
        expect(chunk.at(3).items.at(0).text == column.name, "path of a chunk");
        expect(chunk.at(4).number == 0, "compression");
        expect(chunk.at(5).number == table.rows, "values of a chunk");
        const auto offset = static_cast<std::size_t>(chunk.at(9).number);
        const auto size = static_cast<std::size_t>(chunk.at(7).number);
        bytes += chunk.at(6).number;
        ThriftReader page_reader(file.substr(offset, size));
        const Value page = page_reader.structure();
        expect(page.at(1).number == 0, "kind of a page");
        expect(page.at(5).at(1).number == table.rows && page.at(5).at(2).number == 0, "page");
        expect(page_reader.at() + static_cast<std::size_t>(page.at(3).number) == size,
               "length of a page");
        read_values(file.substr(offset + page_reader.at(), size - page_reader.at()),
                    static_cast<std::size_t>(table.rows), column);
        table.columns.push_back(std::move(column));
    }
    expect(group.at(2).number == bytes, "bytes of the group");
    return table;
}

}  // namespace npunet::report

// Writes structures in Thrift's compact protocol (thrift/doc/specs/thrift-compact-protocol.md),
// which Parquet describes its files in.
//
//     ThriftWriter writer;
//     writer.begin_struct();
//     writer.i32(1, 0);                 // field 1
//     writer.text(4, "name");
//     writer.end_struct();
//     writer.bytes();
//
// Fields of a structure are written in ascending order of their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::report {

class ThriftWriter {
public:
    void begin_struct() { last_.push_back(0); }
    void end_struct() {
        bytes_ += '\0';
        last_.pop_back();
    }
    /// A field that is a structure: to be followed by begin_struct().
    void struct_field(std::int16_t field) { head(field, struct_type); }

    void i32(std::int16_t field, std::int32_t value) {
        head(field, i32_type);
        zigzag(value);
    }
    void i64(std::int16_t field, std::int64_t value) {
        head(field, i64_type);
        zigzag(value);
    }
    void text(std::int16_t field, std::string_view value) {
        head(field, binary_type);
        item(value);
    }

    /// A field that is a list; its items follow.
    void list_of_structs(std::int16_t field, std::size_t items) { list(field, items, struct_type); }
    void list_of_i32(std::int16_t field, std::size_t items) { list(field, items, i32_type); }
    void list_of_text(std::int16_t field, std::size_t items) { list(field, items, binary_type); }
    void item(std::int32_t value) { zigzag(value); }
    void item(std::string_view value) {
        varint(value.size());
        bytes_ += value;
    }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    static constexpr unsigned i32_type = 5;
    static constexpr unsigned i64_type = 6;
    static constexpr unsigned binary_type = 8;
    static constexpr unsigned list_type = 9;
    static constexpr unsigned struct_type = 12;

    void byte(std::uint64_t value) { bytes_ += static_cast<char>(value & 0xFFU); }
    void varint(std::uint64_t value) {
        for (; value > 0x7F; value >>= 7) {
            byte(value | 0x80U);
        }
        byte(value);
    }
    void zigzag(std::int64_t value) {
        varint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
    }
    /// The distance to the field before, which is at most 15 in what Parquet has.
    void head(std::int16_t field, unsigned type) {
        byte(static_cast<unsigned>(field - last_.back()) << 4 | type);
        last_.back() = field;
    }
    void list(std::int16_t field, std::size_t items, unsigned type) {
        head(field, list_type);
        if (items < 15) {
            byte(items << 4 | type);
        } else {
            byte(0xF0U | type);
            varint(items);
        }
    }

    std::string bytes_;
    std::vector<std::int16_t> last_;  ///< field written last, of each structure that is open
};

}  // namespace npunet::report

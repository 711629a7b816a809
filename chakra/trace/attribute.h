// A named value of a node or of a trace's metadata, in memory.
//
//     chakra::Attribute size{"comm_size", std::int64_t{1} << 20};
//
// The schema has sixteen kinds of scalars and a list of each (chakra/et_def.proto, AttributeProto);
// here they are few C++ types, and the encoding is remembered beside the value.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace npunet::chakra {

/// The member of AttributeProto's oneof that holds a value: its field number in schema 0.0.4, odd
/// for a scalar, even for the list of such scalars.
enum class ValueMember : std::uint8_t {
    None = 0,
    Double = 3,
    DoubleList = 4,
    Float = 5,
    FloatList = 6,
    Int32 = 7,
    Int32List = 8,
    Int64 = 9,
    Int64List = 10,
    Uint32 = 11,
    Uint32List = 12,
    Uint64 = 13,
    Uint64List = 14,
    Sint32 = 15,
    Sint32List = 16,
    Sint64 = 17,
    Sint64List = 18,
    Fixed32 = 19,
    Fixed32List = 20,
    Fixed64 = 21,
    Fixed64List = 22,
    Sfixed32 = 23,
    Sfixed32List = 24,
    Sfixed64 = 25,
    Sfixed64List = 26,
    Bool = 27,
    BoolList = 28,
    String = 29,
    StringList = 30,
    Bytes = 31,
    BytesList = 32
};

/// "int64_val", "string_list", ...: the schema's names; "no value" for None.
[[nodiscard]] std::string_view name_of(ValueMember member);
/// The member of this name; empty when the schema has none.
[[nodiscard]] std::optional<ValueMember> value_member_from(std::string_view name);

/// An attribute value of a kind that the simulator has no use for (lists of floating-point numbers
/// or of unsigned 64-bit integers), kept as it stood in the file so that a copy loses nothing.
struct UnmodelledValue {
    std::string wire;  ///< an AttributeProto message without its name
};

inline bool operator==(const UnmodelledValue& a, const UnmodelledValue& b) {
    return a.wire == b.wire;
}

/// An attribute's value by its C++ type. The monostate is an attribute without a value, which real
/// traces contain. The schema's other encodings of a number (sint32, fixed64, ...) have the plain
/// type of the same width and signedness, bytes are text, lists of integers lists of int64.
using AttributeValue =
    std::variant<std::monostate, bool, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t,
                 float, double, std::string, std::vector<std::int64_t>, std::vector<std::string>,
                 std::vector<bool>, UnmodelledValue>;

/// A named value of a node or of a trace's metadata.
struct Attribute {
    std::string name;
    AttributeValue value;
    /// The encoding of the value that the file had, so that a copy has it too. Without effect where
    /// it does not suit the value, and when it is None: then the value's type decides.
    ValueMember member = ValueMember::None;
    /// What else its message has, as on the wire: a doc string, fields of later schemas.
    std::string rest{};
};

/// Equal in what they say: not in how it is encoded, nor in the rest.
inline bool operator==(const Attribute& a, const Attribute& b) {
    return a.name == b.name && a.value == b.value;
}

/// The member that a value is written as.
[[nodiscard]] ValueMember member_of(const Attribute& attribute);

}  // namespace npunet::chakra

#include "chakra/wire/attribute_view.h"

#include <et_def.pb.h>

#include <array>
#include <limits>

namespace npunet::chakra {

namespace {

using MessageAttribute = ChakraProtoMsg::AttributeProto;

constexpr std::uint32_t first_value_field = MessageAttribute::kDoubleValFieldNumber;
constexpr std::uint32_t last_value_field = MessageAttribute::kBytesListFieldNumber;

/// In how many messages those of a node's attribute are.
constexpr unsigned depth_of_attributes = 1;
constexpr unsigned depth_of_lists = 2;
/// By field, from first_value_field to last_value_field.
constexpr auto wire_types = [] {
    std::array<WireType, last_value_field + 1> types{};
    for (std::uint32_t field = first_value_field; field <= last_value_field; ++field) {
        types[field] = wire_type_of(static_cast<ValueMember>(field));
    }
    return types;
}();

/// Whether the values of a list stand there so that Protobuf accepts them. What is not a value is
/// a field of a later schema.
bool list_is_sound(std::uint32_t list_field, std::string_view list) {
    const WireType value_type = wire_types[list_field - 1];
    WireCursor fields(list, depth_of_lists);
    while (fields.next()) {
        if (fields.field() != 1 || fields.type() != WireType::Bytes ||
            value_type == WireType::Bytes) {
            continue;
        }
        const std::string_view packed = fields.bytes();
        if (value_type != WireType::Varint) {
            if (packed.size() % (value_type == WireType::Fixed64 ? 8 : 4) != 0) {
                return false;
            }
            continue;
        }
        const char* at = packed.data();
        const char* const end = at + packed.size();
        for (std::uint64_t value = 0; at != end;) {
            at = read_varint(at, end, value);
            if (at == nullptr) {
                return false;
            }
        }
    }
    return fields.good();
}

}  // namespace

// The form that producers write: a name of less than 128 bytes, then a scalar, and nothing else.
// False for all others, which say nothing about whether they are sound.
bool AttributeView::parse_usual(std::string_view attribute_message) {
    constexpr char name_tag = MessageAttribute::kNameFieldNumber << 3 | int{2};
    const char* at = attribute_message.data();
    const char* const end = at + attribute_message.size();
    if (attribute_message.size() < 4 || at[0] != name_tag) {
        return false;
    }
    const auto name_bytes = static_cast<unsigned char>(at[1]);
    if (name_bytes >= 0x80 || name_bytes + 3 >= end - at) {
        return false;
    }
    message = attribute_message;
    plain = true;
    bits = 0;
    bytes = {};
    name = {at + 2, name_bytes};
    at += 2 + name_bytes;
    value_begin = at;
    std::uint64_t tag = 0;
    at = read_varint(at, end, tag);
    const std::uint64_t field = tag >> 3;
    if (at == nullptr || at == end || at - value_begin > 5 || field < first_value_field ||
        field > last_value_field || static_cast<WireType>(tag & 7U) != wire_types[field]) {
        return false;
    }
    member = static_cast<ValueMember>(field);
    if (wire_types[field] == WireType::Varint) {
        return read_varint(at, end, bits) == end;
    }
    const auto length = static_cast<unsigned char>(*at);
    if (wire_types[field] != WireType::Bytes || field % 2 == 0 || length >= 0x80 ||
        length + 1 != end - at) {
        return false;
    }
    bytes = {at + 1, length};
    return true;
}

bool AttributeView::parse(std::string_view attribute_message) {
    if (parse_usual(attribute_message)) {
        return true;
    }
    *this = AttributeView{};
    message = attribute_message;
    WireCursor fields(attribute_message, depth_of_attributes);
    while (fields.next()) {
        const std::uint32_t field = fields.field();
        if (field == MessageAttribute::kNameFieldNumber && fields.type() == WireType::Bytes) {
            name = fields.bytes();
        } else if (field >= first_value_field && field <= last_value_field &&
                   fields.type() == wire_types[field]) {
            if (member != ValueMember::None) {
                return false;
            }
            member = static_cast<ValueMember>(field);
            value_begin = fields.whole().data();
            if (fields.type() != WireType::Bytes) {
                bits = fields.number();
            } else {
                bytes = fields.bytes();
                if (field % 2 == 0 && !list_is_sound(field, bytes)) {
                    return false;
                }
            }
        } else {
            plain = false;
        }
    }
    return fields.good();
}

std::optional<std::int64_t> AttributeView::integer() const {
    constexpr auto highest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    switch (member) {
        case ValueMember::Bool:
            return bits != 0 ? 1 : 0;
        case ValueMember::Int32:
        case ValueMember::Sfixed32:
            return static_cast<std::int32_t>(bits);
        case ValueMember::Int64:
        case ValueMember::Sfixed64:
            return static_cast<std::int64_t>(bits);
        case ValueMember::Uint32:
        case ValueMember::Fixed32:
            return static_cast<std::uint32_t>(bits);
        case ValueMember::Uint64:
        case ValueMember::Fixed64:
            return bits <= highest ? std::optional(static_cast<std::int64_t>(bits)) : std::nullopt;
        case ValueMember::Sint32:
            return zigzag_decoded(static_cast<std::uint32_t>(bits));
        case ValueMember::Sint64:
            return zigzag_decoded(bits);
        default:
            return std::nullopt;
    }
}

std::optional<std::string_view> AttributeView::text() const {
    const bool is_text = member == ValueMember::String || member == ValueMember::Bytes;
    return is_text ? std::optional(bytes) : std::nullopt;
}

}  // namespace npunet::chakra

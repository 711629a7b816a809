// An attribute as it stands in the bytes of its message: a name and a value that is decoded when it
// is asked for. See chakra/wire/node_view.h.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "chakra/trace/attribute.h"
#include "chakra/wire/wire.h"

namespace npunet::chakra {

/// How a value of this kind stands on the wire. A list is a message: bytes.
[[nodiscard]] constexpr WireType wire_type_of(ValueMember member) {
    switch (member) {
        case ValueMember::Double:
        case ValueMember::Fixed64:
        case ValueMember::Sfixed64:
            return WireType::Fixed64;
        case ValueMember::Float:
        case ValueMember::Fixed32:
        case ValueMember::Sfixed32:
            return WireType::Fixed32;
        case ValueMember::String:
        case ValueMember::Bytes:
            return WireType::Bytes;
        default:
            return static_cast<unsigned>(member) % 2 == 0 ? WireType::Bytes : WireType::Varint;
    }
}

/// One attribute of a node, or of a trace's metadata.
struct AttributeView {
    std::string_view name;
    ValueMember member = ValueMember::None;
    std::uint64_t bits = 0;             ///< of a scalar, as on the wire: zigzag, IEEE 754, ...
    std::string_view bytes;             ///< of text, and of a list's message
    std::string_view message;           ///< the whole AttributeProto
    const char* value_begin = nullptr;  ///< where the value's field begins in the message
    bool plain = true;                  ///< nothing but name and value

    /// Reads an AttributeProto; false when it is malformed, or holds more than one value, which
    /// Protobuf merges (see canonical_node()).
    [[nodiscard]] bool parse(std::string_view attribute_message);

    /// The value when it is an integer of any kind or a boolean; empty for anything else, and
    /// beyond 2^63 - 1.
    [[nodiscard]] std::optional<std::int64_t> integer() const;
    /// The value when it is text or bytes.
    [[nodiscard]] std::optional<std::string_view> text() const;

private:
    bool parse_usual(std::string_view attribute_message);
};

}  // namespace npunet::chakra

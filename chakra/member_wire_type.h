// How a member of an attribute's value stands on the wire. For the sources of this folder only.
#pragma once

#include "chakra/attribute.h"
#include "chakra/wire.h"

namespace npunet::chakra {

/// A list is a message: bytes.
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

}  // namespace npunet::chakra

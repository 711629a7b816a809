// What the tests of this folder share: files in a folder of a test's own, frames made by hand, and
// the InputError that a call throws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::chakra {

using test::bytes_of;
using test::problem_of;

inline std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) {
        bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    }
    return bytes + static_cast<char>(value);
}

/// A message behind its length.
inline std::string frame(std::string_view message) {
    return varint(message.size()) + std::string(message);
}

/// A length-delimited field.
inline std::string field(unsigned number, std::string_view content) {
    return varint(number << 3U | 2U) + frame(content);
}

/// A varint field.
inline std::string field(unsigned number, std::uint64_t value) {
    return varint(number << 3U) + varint(value);
}

/// Metadata and so many nodes that readers have found out the schema when they come to the next.
inline std::string plain_beginning() {
    std::string bytes = frame(field(1, "0.0.4"));
    for (unsigned id = 0; id < 64; ++id) {
        bytes += frame(field(1, id + 1U) + field(2, "COMP_NODE_x") + field(3, 4U));
    }
    return bytes;
}

}  // namespace npunet::chakra

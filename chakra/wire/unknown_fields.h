// What a message holds beyond its schema, as bytes on the wire: the `rest` of nodes, attributes,
// tensors and metadata. For the sources of chakra only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "chakra/wire/wire.h"

namespace npunet::chakra {

/// Whether the bytes are fields that `Message`, in so many other messages, does not have: those
/// that it has would change it.
template <class Message>
[[nodiscard]] bool are_unknown_fields(const std::string& bytes, unsigned depth) {
    if (!is_message(bytes, depth)) {
        return false;
    }
    // By pieces: Protobuf takes 16 bytes for a field of 2 that it does not know.
    constexpr std::size_t piece = 4096;
    std::string_view fields;
    const auto has_known_fields = [&fields] {
        Message message;
        const bool parsed = message.ParseFromArray(fields.data(), static_cast<int>(fields.size()));
        message.DiscardUnknownFields();
        return !parsed || message.ByteSizeLong() != 0;
    };
    WireCursor cursor(bytes, depth);
    for (const char* begin = bytes.data(); cursor.next();) {
        const std::string_view field = cursor.whole();
        const char* const end = field.data() + field.size();
        fields = {begin, static_cast<std::size_t>(end - begin)};
        if (fields.size() >= piece) {
            if (has_known_fields()) {
                return false;
            }
            begin = end;
            fields = {};
        }
    }
    return fields.empty() || !has_known_fields();
}

}  // namespace npunet::chakra

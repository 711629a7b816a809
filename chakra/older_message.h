// Parses a message of a schema that will not change any more. For the sources of this folder only.
#pragma once

#include <fmt/format.h>
#include <google/protobuf/unknown_field_set.h>

#include <limits>
#include <string>
#include <string_view>

namespace npunet::chakra {

/// False, with what was found in `error`, for bytes that are no such message, and for a field that
/// the schema does not have: the file is of another one then.
template <class Message>
[[nodiscard]] bool parse_older(std::string_view bytes, Message& message, std::string& error) {
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
        !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        error = fmt::format("{} bytes that are no message", bytes.size());
        return false;
    }
    const auto& unknown = message.GetReflection()->GetUnknownFields(message);
    if (!unknown.empty()) {
        error = fmt::format("field {}", unknown.field(0).number());
        return false;
    }
    return true;
}

}  // namespace npunet::chakra

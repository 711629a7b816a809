// What the readers of JSON share: blanks between values, members of an object that RapidJSON has
// read.
//
//     const JsonValue* groups = member(info, "pg_config");
#pragma once

#include <rapidjson/document.h>

namespace npunet::profiles {

using JsonValue = rapidjson::Value;

/// A character that may stand between values.
[[nodiscard]] inline bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// Nothing where the value is no object or has no such member.
[[nodiscard]] inline const JsonValue* member(const JsonValue& value, const char* name) {
    if (!value.IsObject()) {
        return nullptr;
    }
    const auto found = value.FindMember(name);
    return found == value.MemberEnd() ? nullptr : &found->value;
}

}  // namespace npunet::profiles

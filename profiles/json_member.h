// A member of an object that RapidJSON has read.
//
//     const JsonValue* groups = member(info, "pg_config");
#pragma once

#include <rapidjson/document.h>

namespace npunet::profiles {

using JsonValue = rapidjson::Value;

/// Nothing where the value is no object or has no such member.
[[nodiscard]] inline const JsonValue* member(const JsonValue& value, const char* name) {
    if (!value.IsObject()) {
        return nullptr;
    }
    const auto found = value.FindMember(name);
    return found == value.MemberEnd() ? nullptr : &found->value;
}

}  // namespace npunet::profiles

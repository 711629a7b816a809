// What a text in JSON has between its values.
#pragma once

namespace npunet::profiles {

[[nodiscard]] inline bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace npunet::profiles

// Kinds of ASCII characters, whatever the locale.
//
// C++17-clean.
#pragma once

namespace npunet {

[[nodiscard]] constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace npunet

// One value of a JSON text as the parser gives it, before it is known what it is for. For the
// sources of chakra only.
//
//     const auto size = integer_of<std::uint64_t>(token);    // nothing for "a", -1, 1.5, ...
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace npunet::chakra {

struct JsonToken {
    enum class Kind : std::uint8_t {
        Null,
        Bool,
        Unsigned,
        Signed,  ///< written with a minus
        Real,
        Text,
        Bytes,  ///< {"hex": "..."}, decoded
        List,   ///< the beginning of one
        Object
    };
    Kind kind = Kind::Null;
    std::uint64_t number = 0;  ///< of a Bool, an Unsigned or, as two's complement, a Signed
    double real = 0;
    std::string_view text;  ///< valid while the token is handled

    [[nodiscard]] bool is_text() const { return kind == Kind::Text || kind == Kind::Bytes; }
};

/// What stands there, short, for a message.
[[nodiscard]] std::string described(const JsonToken& token);

/// The number where it is a whole one that the type holds.
template <class Integer>
[[nodiscard]] std::optional<Integer> integer_of(const JsonToken& token) {
    if (token.kind == JsonToken::Kind::Unsigned) {
        const auto highest = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
        return token.number <= highest ? std::optional(static_cast<Integer>(token.number))
                                       : std::nullopt;
    }
    if (token.kind != JsonToken::Kind::Signed || std::is_unsigned_v<Integer>) {
        return std::nullopt;
    }
    const auto value = static_cast<std::int64_t>(token.number);
    const auto lowest = static_cast<std::int64_t>(std::numeric_limits<Integer>::min());
    return value >= lowest ? std::optional(static_cast<Integer>(value)) : std::nullopt;
}

/// The number, also "NaN", "Infinity" or "-Infinity".
template <class Real>
[[nodiscard]] std::optional<Real> real_of(const JsonToken& token) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    switch (token.kind) {
        case JsonToken::Kind::Unsigned:
            return static_cast<Real>(token.number);
        case JsonToken::Kind::Signed:
            return static_cast<Real>(static_cast<std::int64_t>(token.number));
        case JsonToken::Kind::Real:
            return static_cast<Real>(token.real);
        case JsonToken::Kind::Text:
            return token.text == "NaN" ? std::optional(std::numeric_limits<Real>::quiet_NaN())
                   : token.text == "Infinity"  ? std::optional(infinity)
                   : token.text == "-Infinity" ? std::optional(-infinity)
                                               : std::nullopt;
        default:
            return std::nullopt;
    }
}

/// The bytes of hexadecimal digits in small letters.
[[nodiscard]] std::optional<std::string> bytes_from_hex(std::string_view digits);

}  // namespace npunet::chakra

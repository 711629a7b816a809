#include "chakra/json/json_token.h"

#include <nlohmann/json.hpp>

namespace npunet::chakra {

namespace {

constexpr std::size_t most_described = 40;

std::string shortened(const std::string& text) {
    return text.size() <= most_described ? text : text.substr(0, most_described - 3) + "...";
}

}  // namespace

std::string described(const JsonToken& token) {
    using Json = nlohmann::json;
    switch (token.kind) {
        case JsonToken::Kind::Null:
            return "null";
        case JsonToken::Kind::Bool:
            return token.number != 0 ? "true" : "false";
        case JsonToken::Kind::Unsigned:
            return std::to_string(token.number);
        case JsonToken::Kind::Signed:
            return std::to_string(static_cast<std::int64_t>(token.number));
        case JsonToken::Kind::Real:
            return Json(token.real).dump();
        case JsonToken::Kind::Text:
            return shortened(Json(token.text.substr(0, most_described))
                                 .dump(-1, ' ', true, Json::error_handler_t::replace));
        case JsonToken::Kind::Bytes:
            return "bytes in hexadecimal digits";
        case JsonToken::Kind::List:
            return "a list";
        case JsonToken::Kind::Object:
            return "an object";
    }
    return {};
}

std::optional<std::string> bytes_from_hex(std::string_view digits) {
    const auto digit = [](char c) -> int {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    if (digits.size() % 2 != 0) {
        return std::nullopt;
    }
    std::string bytes;
    bytes.reserve(digits.size() / 2);
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const int high = digit(digits[i]);
        const int low = digit(digits[i + 1]);
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

}  // namespace npunet::chakra

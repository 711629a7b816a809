#include "report/html/escape.h"

#include <cstddef>
#include <cstdint>

namespace npunet::report {

namespace {

constexpr const char* replacement = "\xEF\xBF\xBD";  // U+FFFD

/// How many bytes the UTF-8 character at the front of `text` has; 0 when there is none, or one that
/// XML 1.0 (section 2.2) does not allow.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) {
        const bool allowed = first == '\t' || first == '\n' || (first >= 0x20 && first != 0x7F);
        return allowed ? 1 : 0;
    }
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
    if (length == 0 || first > 0xF4 || text.size() < length) {
        return 0;
    }
    std::uint32_t code = first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return 0;
        }
        code = (code << 6U) | (byte(i) & 0x3FU);
    }
    static constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool overlong = code < least[length];
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    const bool control = code < 0xA0;
    const bool noncharacter = (code & 0xFFFEU) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
    return overlong || surrogate || control || noncharacter || code > 0x10FFFF ? 0 : length;
}

const char* reference(char character) {
    switch (character) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return nullptr;
    }
}

}  // namespace

std::string clean_text(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        if (length == 0) {
            clean += replacement;
        } else {
            clean += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return clean;
}

std::string html_text(std::string_view text) {
    std::string html;
    for (const char c : clean_text(text)) {
        if (const char* escaped = reference(c); escaped != nullptr) {
            html += escaped;
        } else {
            html += c;
        }
    }
    return html;
}

std::string json_in_script(std::string_view json) {
    std::string safe;
    safe.reserve(json.size());
    for (const char c : json) {
        switch (c) {
            case '<':
                safe += "\\u003c";
                break;
            case '>':
                safe += "\\u003e";
                break;
            case '&':
                safe += "\\u0026";
                break;
            case '\x7F':
                safe += "\\u007f";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

}  // namespace npunet::report

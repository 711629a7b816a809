#include "base/printable.h"

#include <fmt/format.h>

#include <iterator>

namespace npunet {

namespace {

unsigned byte_at(std::string_view text, std::size_t place) {
    return place < text.size() ? static_cast<unsigned char>(text[place]) : 0U;
}

std::string escaped(char c) {
    switch (c) {
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        default:
            return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
}

std::string escaped(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t place = 0; place < text.size();) {
        const std::size_t length = character_length(text, place);
        if (length == 0 || is_late_control(text, place)) {
            shown += escaped(text[place]);
            ++place;
        } else {
            shown += text.substr(place, length);
            place += length;
        }
    }
    return shown;
}

/// Where a cut at `place` or shortly before it leaves whole characters.
std::size_t cut_at(std::string_view text, std::size_t place) {
    constexpr std::size_t most_continuations = 3;
    std::size_t cut = place;
    while (place - cut < most_continuations && (byte_at(text, cut) & 0xC0U) == 0x80U) {
        --cut;
    }
    return cut;
}

}  // namespace

std::size_t character_length(std::string_view text, std::size_t place) {
    const unsigned first = byte_at(text, place);
    const unsigned second = byte_at(text, place + 1);
    if (first < 0x80) {
        return first >= 0x20 && first != 0x7F ? 1 : 0;
    }
    if (first < 0xC2 || first > 0xF4) {
        return 0;
    }
    const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (second < least || second > most) {
        return 0;
    }
    for (std::size_t i = 2; i < length; ++i) {
        if ((byte_at(text, place + i) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    return length;
}

bool is_late_control(std::string_view text, std::size_t place) {
    const unsigned second = byte_at(text, place + 1);
    return byte_at(text, place) == 0xC2 && second >= 0x80 && second < 0xA0;
}

std::string printable(std::string_view text) {
    constexpr std::size_t longest_of_a_line = 4096;
    return printable(text, longest_of_a_line);
}

std::string printable(std::string_view text, std::size_t longest) {
    if (text.size() <= longest) {
        return escaped(text);
    }
    const std::size_t front = cut_at(text, longest * 3 / 4);
    const std::size_t back = cut_at(text, text.size() - longest / 8);
    return fmt::format("{} ... ({} bytes in all) ... {}", escaped(text.substr(0, front)),
                       text.size(), escaped(text.substr(back)));
}

}  // namespace npunet

#include "cli/console/safe_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/printable.h"

namespace npunet::cli {

namespace {

bool is_harmless(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte < 0x7F) || c == '\n' || c == '\t';
}

std::string escaped(std::string_view line) {
    std::string text;
    for (std::size_t place = 0; place < line.size();) {
        const auto byte = static_cast<unsigned char>(line[place]);
        const std::size_t length = character_length(line, place);
        if (is_harmless(line[place])) {
            text += line[place++];
        } else if (byte < 0x80) {
            text += fmt::format("\\u{:04x}", byte);
            ++place;
        } else if (length == 0) {
            text += fmt::format("\\x{:02x}", byte);
            ++place;
        } else if (is_late_control(line, place)) {
            text += fmt::format("\\u{:04x}", static_cast<unsigned char>(line[place + 1]));
            place += length;
        } else {
            text += line.substr(place, length);
            place += length;
        }
    }
    return text;
}

}  // namespace

bool SafeOutput::write_line() {
    errno = 0;
    if (std::all_of(line_.begin(), line_.end(), is_harmless)) {
        target_ << line_;
    } else {
        target_ << escaped(line_);
    }
    line_.clear();
    return note();
}

bool SafeOutput::note() {
    if (!target_ && error_ == 0) {
        error_ = errno;
    }
    return static_cast<bool>(target_);
}

std::streamsize SafeOutput::xsputn(const char* text, std::streamsize size) {
    // A write may end within a multi-byte character, a line does not: escape whole lines only.
    const std::string_view piece(text, static_cast<std::size_t>(size));
    const std::size_t end = piece.rfind('\n') + 1;
    line_ += piece.substr(0, end);
    const bool good = end == 0 || write_line();
    line_ += piece.substr(end);
    return good ? size : 0;
}

SafeOutput::int_type SafeOutput::overflow(int_type character) {
    if (traits_type::eq_int_type(character, traits_type::eof())) {
        return traits_type::not_eof(character);
    }
    const char c = traits_type::to_char_type(character);
    return xsputn(&c, 1) == 1 ? character : traits_type::eof();
}

int SafeOutput::sync() {
    write_line();
    errno = 0;
    target_.flush();
    return note() ? 0 : -1;
}

}  // namespace npunet::cli

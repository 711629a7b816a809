#include "generators/text/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/errors.h"

namespace npunet::generators {

namespace {

std::string content_of(const std::string& file) {
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(file, ignored);
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream && errno == EACCES) {
        throw MachineError(fmt::format("{}: cannot open: {}. Check the permissions of the file",
                                       file, std::strerror(errno)));
    }
    if (folder || !stream) {
        throw InputError({file, "", folder ? "a folder" : "no such file, or it cannot be read",
                          "a text workload", "Check the path"});
    }
    std::string text;
    std::string part(std::size_t{1} << 16, '\0');
    while (stream.read(part.data(), static_cast<std::streamsize>(part.size())),
           stream.gcount() > 0) {
        text.append(part, 0, static_cast<std::size_t>(stream.gcount()));
        if (text.size() > TextLines::most_bytes) {
            throw InputError({file, "", fmt::format("more than {} bytes", TextLines::most_bytes),
                              "a text workload: a line for each layer",
                              "Check the path: this is no text workload"});
        }
    }
    return text;
}

std::string with_plain_line_ends(const std::string& text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\r') {
            plain += text[i];
        } else if (i + 1 == text.size() || text[i + 1] != '\n') {
            plain += '\n';
        }
    }
    return plain;
}

unsigned byte_at(std::string_view text, std::size_t place) {
    return place < text.size() ? static_cast<unsigned char>(text[place]) : 0U;
}

/// Bytes of the character of UTF-8 that begins there; 0 for none, or for a control character other
/// than a tab. RFC 3629, section 4.
std::size_t character_length(std::string_view text, std::size_t place) {
    const unsigned first = byte_at(text, place);
    const unsigned second = byte_at(text, place + 1);
    if (first < 0x80) {
        return first == '\t' || (first >= 0x20 && first != 0x7F) ? 1 : 0;
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

void check_characters(const std::string& file, std::size_t number, std::string_view line) {
    for (std::size_t place = 0; place < line.size();) {
        const std::size_t length = character_length(line, place);
        if (length == 0) {
            throw InputError({file, fmt::format("line {}, byte {}", number, place + 1),
                              fmt::format("the byte 0x{:02x}", byte_at(line, place)),
                              "text in UTF-8 without control characters",
                              "Correct the line, or convert the file to UTF-8"});
        }
        place += length;
    }
}

}  // namespace

TextLines read_text_lines(const std::string& file) {
    TextLines input;
    input.text = with_plain_line_ends(content_of(file));
    input.ends.reserve(
        1 + static_cast<std::size_t>(std::count(input.text.begin(), input.text.end(), '\n')));
    for (std::size_t begin = 0; begin < input.text.size(); begin = input.ends.back() + 1U) {
        const std::size_t end = std::min(input.text.find('\n', begin), input.text.size());
        input.ends.push_back(static_cast<std::uint32_t>(end));
        check_characters(file, input.lines(), input.line(input.lines() - 1));
    }
    return input;
}

std::vector<std::string_view> words_of(std::string_view line) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    const auto begins = [&](std::size_t i) {
        return !is_blank(line[i]) && (i == 0 || is_blank(line[i - 1]));
    };
    std::size_t count = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        count += begins(i) ? 1U : 0U;
    }
    std::vector<std::string_view> words;
    words.reserve(count);
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (begins(i)) {
            words.push_back(line.substr(i, line.find_first_of(" \t", i) - i));
        }
    }
    return words;
}

}  // namespace npunet::generators

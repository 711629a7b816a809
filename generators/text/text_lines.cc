#include "generators/text/text_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "base/input_text.h"
#include "base/printable.h"

namespace npunet::generators {

namespace {

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

void check_characters(const std::string& file, std::size_t number, std::string_view line) {
    for (std::size_t place = 0; place < line.size();) {
        const std::size_t length = line[place] == '\t' ? 1 : character_length(line, place);
        if (length == 0) {
            throw InputError(
                {file, fmt::format("line {}, byte {}", number, place + 1),
                 fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(line[place])),
                 "text in UTF-8 without control characters",
                 "Correct the line, or convert the file to UTF-8"});
        }
        place += length;
    }
}

}  // namespace

TextLines read_text_lines(const std::string& file) {
    TextLines input;
    input.text = with_plain_line_ends(read_input_text(
        file, "a text workload: a line for each layer", "Check the path", TextLines::most_bytes));
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

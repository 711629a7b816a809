// The lines of a text file that goes into the metadata of traces, where text must be UTF-8.
//
//     const TextLines input = read_text_lines("Resnet50.txt");
//     input.text                               // line ends are "\n", whatever they were
//     input.line(0)                            // "DATA": without its line end
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace npunet::generators {

struct TextLines {
    /// Traces hold the whole text in one frame.
    static constexpr std::size_t most_bytes = std::size_t{32} << 20;

    std::string text;

    /// A line end at the end of the text does not begin another line.
    [[nodiscard]] std::size_t lines() const { return ends.size(); }
    /// Valid as long as this is.
    [[nodiscard]] std::string_view line(std::size_t index) const {
        const std::size_t begin = index == 0 ? 0 : ends[index - 1] + std::size_t{1};
        return std::string_view(text).substr(begin, ends[index] - begin);
    }

    /// Where in the text each line ends: 4 bytes, for lines may be empty, and many.
    std::vector<std::uint32_t> ends{};
};

/// Throws InputError for a file that is missing, is a folder, is longer than most_bytes, is not
/// UTF-8 or holds control characters other than tabs and line ends ("\n", "\r\n" or "\r").
[[nodiscard]] TextLines read_text_lines(const std::string& file);

/// The words between blanks and tabs; valid as long as the line.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);

}  // namespace npunet::generators

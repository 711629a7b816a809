// A stretch of a long text in memory, moved along as it is used.
//
//     TextWindow window(path);
//     window.begin();              // a text that ends with NUL, of window.size() characters
//     window.advance(17);          // done with so many
//     window.extend();             // more of the file behind it; false at the file's end
//
// Memory is a few mebibytes, or twice the longest stretch that was not done with. For the sources
// of this folder only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "profiles/byte_source.h"

namespace npunet::profiles {

class TextWindow {
public:
    /// As ByteSource. `progress`, where given, grows by the bytes read.
    explicit TextWindow(const std::filesystem::path& path,
                        std::atomic<std::uint64_t>* progress = nullptr);

    [[nodiscard]] const char* begin() const { return buffer_.data() + begin_; }
    [[nodiscard]] std::size_t size() const { return end_ - begin_; }
    [[nodiscard]] std::string_view text() const { return {begin(), size()}; }

    void advance(std::size_t characters);
    /// What begin() points at may move.
    bool extend();

    /// The file was read to its end.
    [[nodiscard]] bool at_end() const { return at_end_; }
    /// Of begin() in the decompressed file: the byte from 0, the line from 1.
    [[nodiscard]] std::uint64_t byte() const { return dropped_ + begin_; }
    [[nodiscard]] std::uint64_t line() const;
    /// The compressed data broke off.
    [[nodiscard]] bool cut_off() const { return source_.cut_off(); }

private:
    ByteSource source_;
    std::atomic<std::uint64_t>* progress_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;  ///< where the NUL stands
    bool at_end_ = false;
    std::uint64_t dropped_ = 0;  ///< bytes before the buffer
    std::uint64_t dropped_lines_ = 0;
};

}  // namespace npunet::profiles

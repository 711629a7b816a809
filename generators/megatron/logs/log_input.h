// The bytes of a log, one after the other, for a parser that takes iterators.
//
//     LogInput input("comm_log_rank_0.json");
//     nlohmann::json::sax_parse(input.begin(), input.end(), &handler);
//     input.consumed();          // how far the parser is
//
// Files compressed with gzip are recognised by content. Of blanks and line ends between JSON's
// tokens only the first is passed on: they are most of an indented log, and parsers keep them until
// the next token. Texts and numbers beyond longest_token are refused, so that memory does not grow
// with the file. For call_log_reader.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "base/gzip_input.h"

namespace npunet::generators::megatron {

class LogInput {
public:
    /// Bytes of a text or a number.
    static constexpr std::size_t longest_token = std::size_t{1} << 16;

    /// Throws InputError when there is no such file, MachineError when it cannot be opened.
    explicit LogInput(std::filesystem::path path);

    /// Reads on; all copies stand at the same byte. Reading throws InputError for damaged
    /// compressed data and overlong tokens, MachineError when it fails.
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = char;
        using difference_type = std::ptrdiff_t;
        using pointer = const char*;
        using reference = const char&;

        Iterator() = default;
        explicit Iterator(LogInput& input) : input_(&input) {}

        reference operator*() const { return *input_->at_; }
        Iterator& operator++() {
            input_->advance();
            return *this;
        }
        /// Only ever asked against the end.
        friend bool operator==(const Iterator& a, const Iterator& b) {
            return a.ended() == b.ended();
        }
        friend bool operator!=(const Iterator& a, const Iterator& b) { return !(a == b); }

    private:
        [[nodiscard]] bool ended() const {
            return input_ == nullptr || (input_->at_ == input_->end_ && !input_->refill());
        }

        LogInput* input_ = nullptr;
    };
    [[nodiscard]] Iterator begin() { return Iterator(*this); }
    [[nodiscard]] static Iterator end() { return {}; }

    /// Bytes taken so far, of the decompressed data.
    [[nodiscard]] std::uint64_t consumed() const {
        return before_ + static_cast<std::uint64_t>(at_ - buffer_.data());
    }
    [[nodiscard]] bool at_end() { return !(begin() != end()); }
    [[nodiscard]] bool compressed() const { return input_.compressed(); }
    [[nodiscard]] const std::filesystem::path& path() const { return input_.path(); }

private:
    static bool is_blank(char letter) {
        return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
    }
    void advance() {
        const char letter = *at_++;
        if (in_text_) {
            in_text_ = escaped_ || letter != '"';
            escaped_ = !escaped_ && letter == '\\';
            grow_token();
        } else if (letter == '"') {
            in_text_ = true;
            token_ = 0;
        } else if (letter >= '-' && letter <= '9') {
            grow_token();
        } else {
            token_ = 0;
            if (is_blank(letter)) {
                while (at_ != end_ && is_blank(*at_)) {
                    ++at_;
                }
            }
        }
    }
    void grow_token() {
        if (++token_ > longest_token) {
            refuse_token();
        }
    }
    bool refill();
    [[noreturn]] void refuse_token() const;

    GzipInput input_;
    std::vector<char> buffer_;
    const char* at_;
    const char* end_;
    std::uint64_t before_ = 0;  ///< bytes of the file before the buffer
    bool in_text_ = false;
    bool escaped_ = false;   ///< behind a backslash
    std::size_t token_ = 0;  ///< bytes of a text or number so far
};

}  // namespace npunet::generators::megatron

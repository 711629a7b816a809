#include "chakra/files/frame_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/errors.h"
#include "chakra/wire/wire.h"

namespace npunet::chakra {

namespace {

constexpr std::size_t initial_buffer_bytes = std::size_t{1} << 18;
constexpr std::size_t max_varint32_bytes = 5;
/// Metadata and a node: without them nothing can be told.
constexpr std::size_t needed_frames = 2;
constexpr const char* copy_again = "Copy or generate the trace again";

}  // namespace

FrameInput::FrameInput(std::filesystem::path path)
    : input_(std::move(path), "an execution trace (.et)", "Name one trace in it"),
      buffer_(initial_buffer_bytes) {}

std::string FrameInput::place() const {
    const std::uint64_t number = frames_ == 0 ? 0 : frames_ - 1;
    return fmt::format("frame {} at byte {}{}", number, frame_offset_,
                       compressed() ? " of the decompressed data" : "");
}

void FrameInput::fail(std::string found, std::string expected, std::string remedy) const {
    throw InputError(
        {path().string(), place(), std::move(found), std::move(expected), std::move(remedy)});
}

void FrameInput::fail_truncated(std::string found) const {
    fail(std::move(found), "whole frames to the end of the file",
         fmt::format("The file is truncated or not an execution trace. {}", copy_again));
}

void FrameInput::refill() {
    if (begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (end_ == buffer_.size()) {
        buffer_.resize(buffer_.size() * 2);
    }
    const std::size_t room = buffer_.size() - end_;
    const GzipInput::Piece got = input_.read(buffer_.data() + end_, room);
    if (!got.damage.empty()) {
        fail(got.damage, "a whole gzip file", copy_again);
    }
    end_ += got.bytes;
    at_end_ = got.bytes < room;
}

bool FrameInput::ensure(std::size_t bytes) {
    while (end_ - begin_ < bytes) {
        if (at_end_) {
            return false;
        }
        refill();
    }
    return true;
}

std::string_view FrameInput::peek_bytes(std::size_t most_bytes) {
    (void)ensure(most_bytes);
    return {buffer_.data() + begin_, std::min(most_bytes, end_ - begin_)};
}

FrameInput::Beginning FrameInput::peek(std::size_t most_frames, std::size_t most_bytes) {
    // By place: the buffer moves while it grows.
    std::vector<std::pair<std::size_t, std::size_t>> places;
    std::size_t at = 0;
    while (places.size() < most_frames && ensure(at + 1)) {
        (void)ensure(at + max_varint32_bytes);
        std::uint64_t length = 0;
        const char* const begin = buffer_.data() + begin_ + at;
        const char* const behind = read_varint(begin, buffer_.data() + end_, length);
        if (behind == nullptr || length > max_frame_bytes) {
            break;
        }
        const auto frame = at + static_cast<std::size_t>(behind - begin);
        const auto bytes = static_cast<std::size_t>(length);
        const bool needed = places.size() < needed_frames || frame + bytes <= most_bytes;
        if (!needed || !ensure(frame + bytes)) {
            break;
        }
        places.emplace_back(frame, bytes);
        at = frame + bytes;
    }
    Beginning beginning;
    for (const auto& [frame, bytes] : places) {
        beginning.frames.emplace_back(buffer_.data() + begin_ + frame, bytes);
    }
    beginning.whole_file = at == end_ - begin_ && !ensure(at + 1);
    return beginning;
}

void FrameInput::read_rest(std::string& bytes) {
    // A few bytes of gzip can expand to gigabytes of whitespace.
    constexpr std::size_t most_blanks = std::size_t{1} << 20;
    std::size_t blanks = 0;
    while (ensure(1)) {
        const std::string_view piece(buffer_.data() + begin_, end_ - begin_);
        for (const char c : piece) {
            blanks = c == ' ' || c == '\n' || c == '\t' || c == '\r' ? blanks + 1 : 0;
            if (blanks > most_blanks) {
                fail(fmt::format("more than {} blanks in a row", most_blanks), "a JSON trace",
                     copy_again);
            }
        }
        bytes.append(piece);
        consume(piece.size());
    }
}

void FrameInput::consume(std::size_t bytes) {
    begin_ += bytes;
    consumed_ += bytes;
}

std::uint32_t FrameInput::read_length() {
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < max_varint32_bytes; ++i) {
        if (!ensure(i + 1)) {
            fail_truncated("the end of the file within a frame's length");
        }
        const auto byte = static_cast<unsigned char>(buffer_[begin_ + i]);
        length |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * i);
        if ((byte & 0x80U) == 0) {
            consume(i + 1);
            if (length > max_frame_bytes) {
                fail(fmt::format("a frame of {} bytes", length),
                     fmt::format("at most {} bytes", max_frame_bytes),
                     fmt::format("The file is damaged or not an execution trace. {}", copy_again));
            }
            return static_cast<std::uint32_t>(length);
        }
    }
    fail("a length of more than 5 bytes", "a length as a varint of at most 32 bits",
         fmt::format("The file is damaged or not an execution trace. {}", copy_again));
}

bool FrameInput::next() {
    frame_ = {};
    if (!ensure(1)) {
        return false;
    }
    frame_offset_ = consumed_;
    ++frames_;
    const std::uint32_t length = read_length();
    if (!ensure(length)) {
        fail_truncated(
            fmt::format("a frame of {} bytes, of which {} are there", length, end_ - begin_));
    }
    if (length == 0 && ++empty_frames_ > most_empty_frames) {
        fail(fmt::format("{} frames without content", empty_frames_), "frames with nodes in them",
             fmt::format("The file is damaged, or zeros were appended to it. {}", copy_again));
    }
    frame_ = std::string_view(buffer_.data() + begin_, length);
    consume(length);
    return true;
}

}  // namespace npunet::chakra

// The frames of a trace file: [length as a varint of at most 32 bits][that many bytes], repeated.
//
//     FrameInput input("trace.0.et");
//     while (input.next()) {
//         parse(input.frame());      // or input.fail(found, expected, remedy)
//     }
//
// Files compressed with gzip are recognised by content. Memory grows with what the file holds,
// never with what a length claims. Internal to chakra: chakra/files/trace_reader.h reads nodes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/gzip_input.h"

namespace npunet::chakra {

/// No frame may be longer, in bytes (the longest real one seen is 20 KB).
inline constexpr std::uint32_t max_frame_bytes = std::uint32_t{64} << 20;
/// Most empty frames in one file: a real node has at least a type. More indicate that the file was
/// padded with zeros, of which three gigabytes take three megabytes as gzip.
inline constexpr std::uint64_t most_empty_frames = 1024;

/// Reads one file frame by frame.
class FrameInput {
public:
    /// Throws InputError when there is no such file, MachineError when it cannot be opened.
    explicit FrameInput(std::filesystem::path path);

    /// Moves on to the next frame; false at the end of the file. Throws InputError when the file
    /// ends within a frame, a length is not a varint32 or beyond max_frame_bytes, there are more
    /// than most_empty_frames empty frames, or the compressed data is damaged; MachineError when
    /// reading fails.
    bool next();

    /// The bytes of the current frame; valid until next().
    [[nodiscard]] std::string_view frame() const { return frame_; }

    /// The frames at the beginning of the file, to tell what it is: at most so many, and behind the
    /// second no more than stand whole within so many bytes. Before the first next(); valid until
    /// then.
    struct Beginning {
        std::vector<std::string_view> frames;
        bool whole_file = false;  ///< the file has no further frame
    };
    [[nodiscard]] Beginning peek(std::size_t most_frames, std::size_t most_bytes);
    /// As peek(), but the bytes as they are.
    [[nodiscard]] std::string_view peek_bytes(std::size_t most_bytes);

    [[nodiscard]] const std::filesystem::path& path() const { return input_.path(); }
    [[nodiscard]] bool compressed() const { return input_.compressed(); }
    /// Where the length of the current frame begins, in the decompressed data.
    [[nodiscard]] std::uint64_t offset() const { return frame_offset_; }
    /// How many bytes of decompressed data were read.
    [[nodiscard]] std::uint64_t consumed() const { return consumed_; }
    /// Reads the file from here to its end at once, as other formats need it. Appends to `bytes`.
    void read_rest(std::string& bytes);

    /// "frame 3 at byte 120": the current frame, counted from 0, and where its length begins.
    [[nodiscard]] std::string place() const;

    /// Throws an InputError about the current frame.
    [[noreturn]] void fail(std::string found, std::string expected, std::string remedy) const;

private:
    [[nodiscard]] bool ensure(std::size_t bytes);
    void refill();
    void consume(std::size_t bytes);
    [[nodiscard]] std::uint32_t read_length();
    [[noreturn]] void fail_truncated(std::string found) const;

    GzipInput input_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;  // buffer_[begin_, end_) is read but not consumed
    std::size_t end_ = 0;
    bool at_end_ = false;
    std::uint64_t consumed_ = 0;  // bytes of the file before begin_
    std::uint64_t frames_ = 0;    // frames begun
    std::uint64_t empty_frames_ = 0;
    std::uint64_t frame_offset_ = 0;
    std::string_view frame_;
};

}  // namespace npunet::chakra

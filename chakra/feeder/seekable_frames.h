// The frames of a trace at any place of the file, as schema 0.0.4. For the sources of chakra
// only.
//
//     SeekableFrames frames("trace.0.et", {}, folder);
//     for (std::uint64_t at = frames.begin(); at != frames.end();) {
//         const std::string_view frame = frames.read(at);    // at is behind it then
//     }
//
// A file of schema 0.0.4 that is not compressed is read where it is. Any other is first rewritten
// into a temporary file. Memory: 4 MiB of the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chakra/trace/trace_format.h"

namespace npunet::chakra {

class SeekableFrames {
public:
    /// Throws as NodeFrames does.
    SeekableFrames(const std::filesystem::path& path, const ReadOptions& options,
                   const std::filesystem::path& temporary_folder);
    ~SeekableFrames();
    SeekableFrames(const SeekableFrames&) = delete;
    SeekableFrames& operator=(const SeekableFrames&) = delete;

    /// Where the first node is, and the end of the last.
    [[nodiscard]] std::uint64_t begin() const { return begin_; }
    [[nodiscard]] std::uint64_t end() const { return end_; }

    /// The frame that begins at `offset`, which is moved behind it; valid until the next call.
    /// Throws InputError (file, byte) when no whole frame is there.
    [[nodiscard]] std::string_view read(std::uint64_t& offset);

    [[nodiscard]] const TraceMetadata& metadata() const { return metadata_; }
    [[nodiscard]] const TraceFormat& format() const { return format_; }
    /// "frame 3 at byte 120": a place for messages; counts the frames before it.
    [[nodiscard]] std::string place(std::uint64_t offset);
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    struct Block {
        std::uint64_t number = ~std::uint64_t{0};
        std::uint64_t last_use = 0;
        std::vector<char> bytes;
    };

    void open_file();
    void rewrite(class NodeFrames& nodes, const std::filesystem::path& temporary_folder);
    [[nodiscard]] const Block& block(std::uint64_t number);
    [[nodiscard]] std::string_view bytes(std::uint64_t offset, std::size_t count);
    [[noreturn]] void fail_truncated(std::uint64_t offset);
    [[noreturn]] void fail_length(std::uint64_t offset, std::string found);

    std::filesystem::path path_;
    TraceMetadata metadata_;
    TraceFormat format_;
    bool rewritten_ = false;
    bool counting_ = false;  // frames, for a message
    int file_ = -1;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    std::vector<Block> blocks_;
    const Block* recent_ = nullptr;
    std::uint64_t uses_ = 0;
    std::string across_;  // bytes of more than one block
};

}  // namespace npunet::chakra

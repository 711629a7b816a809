#include "chakra/feeder/seekable_frames.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors.h"
#include "chakra/feeder/spill_file.h"
#include "chakra/files/frame_input.h"
#include "chakra/files/node_frames.h"
#include "chakra/wire/wire.h"

namespace npunet::chakra {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 17;
constexpr std::size_t most_blocks = 32;
constexpr std::size_t longest_length = 5;

}  // namespace

SeekableFrames::SeekableFrames(const std::filesystem::path& path, const ReadOptions& options,
                               const std::filesystem::path& temporary_folder)
    : path_(path) {
    NodeFrames nodes(path, options);
    metadata_ = nodes.metadata();
    format_ = nodes.format();
    blocks_.reserve(most_blocks);
    if (format_.gzip || format_.json || format_.schema < Schema::V0_0_4pre) {
        rewrite(nodes, temporary_folder);
    } else {
        begin_ = nodes.bytes_read();
        open_file();
    }
}

SeekableFrames::~SeekableFrames() {
    if (file_ >= 0) {
        close(file_);
    }
}

void SeekableFrames::open_file() {
    file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    const off_t size = file_ < 0 ? -1 : lseek(file_, 0, SEEK_END);
    if (size < 0) {
        throw MachineError(
            fmt::format("{}: cannot open and seek: {}. Copy the trace into a file on a disk",
                        path_.string(), std::strerror(errno)));
    }
    end_ = static_cast<std::uint64_t>(size);
}

void SeekableFrames::rewrite(NodeFrames& nodes, const std::filesystem::path& temporary_folder) {
    SpillFile file(temporary_folder);
    std::string frames;
    while (nodes.next()) {
        append_varint(nodes.view().frame().size(), frames);
        frames += nodes.view().frame();
        if (frames.size() >= block_bytes) {
            file.append(frames.data(), frames.size());
            frames.clear();
        }
    }
    file.append(frames.data(), frames.size());
    end_ = file.size();
    file_ = file.release();
    rewritten_ = true;
}

std::string SeekableFrames::place(std::uint64_t offset) {
    if (counting_) {  // not even the frames before it are there any more
        return fmt::format("byte {}", offset);
    }
    counting_ = true;
    std::uint64_t nodes = 0;
    for (std::uint64_t at = begin_; at < offset; ++nodes) {
        (void)read(at);
    }
    counting_ = false;
    if (format_.json) {
        return fmt::format("node {} of workload_graph", nodes);
    }
    const std::uint64_t frame = nodes + (metadata_.present ? 1 : 0);
    // A rewritten file has its frames elsewhere.
    return rewritten_ ? fmt::format("frame {}", frame)
                      : fmt::format("frame {} at byte {}", frame, offset);
}

void SeekableFrames::fail_truncated(std::uint64_t offset) {
    throw InputError({path_.string(), place(offset), "the end of the file within a frame",
                      "whole frames to the end of the file",
                      "The file is truncated, or changes while it is read. Copy or generate the "
                      "trace again"});
}

void SeekableFrames::fail_length(std::uint64_t offset, std::string found) {
    throw InputError({path_.string(), place(offset), std::move(found),
                      fmt::format("at most {} bytes", max_frame_bytes),
                      "The file is damaged. Copy or generate the trace again"});
}

const SeekableFrames::Block& SeekableFrames::block(std::uint64_t number) {
    if (recent_ != nullptr && recent_->number == number) {
        return *recent_;
    }
    auto place = std::find_if(blocks_.begin(), blocks_.end(),
                              [&](const Block& one) { return one.number == number; });
    if (place == blocks_.end()) {
        if (blocks_.size() < most_blocks) {
            place = blocks_.emplace(blocks_.end());
        } else {
            place = std::min_element(
                blocks_.begin(), blocks_.end(),
                [](const Block& a, const Block& b) { return a.last_use < b.last_use; });
        }
        const std::uint64_t offset = number * block_bytes;
        place->number = number;
        place->bytes.resize(
            static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, end_ - offset)));
        std::size_t got = 0;
        while (got < place->bytes.size()) {
            const ssize_t more = pread(file_, place->bytes.data() + got, place->bytes.size() - got,
                                       static_cast<off_t>(offset + got));
            if (more < 0 && errno == EINTR) {
                continue;
            }
            if (more < 0) {
                throw MachineError(
                    fmt::format("{}: cannot read: {}", path_.string(), std::strerror(errno)));
            }
            if (more == 0) {
                place->number = ~std::uint64_t{0};
                fail_truncated(offset + got);
            }
            got += static_cast<std::size_t>(more);
        }
    }
    place->last_use = ++uses_;
    recent_ = &*place;
    return *place;
}

std::string_view SeekableFrames::bytes(std::uint64_t offset, std::size_t count) {
    const std::uint64_t number = offset / block_bytes;
    const auto begin = static_cast<std::size_t>(offset % block_bytes);
    if (begin + count <= block_bytes) {
        return {block(number).bytes.data() + begin, count};
    }
    across_.clear();
    std::uint64_t at = offset;
    while (across_.size() < count) {
        const Block& part = block(at / block_bytes);
        const auto from = static_cast<std::size_t>(at % block_bytes);
        const std::size_t take = std::min(count - across_.size(), part.bytes.size() - from);
        across_.append(part.bytes.data() + from, take);
        at += take;
    }
    return across_;
}

std::string_view SeekableFrames::read(std::uint64_t& offset) {
    const std::uint64_t left = end_ - offset;
    const std::string_view head =
        bytes(offset, static_cast<std::size_t>(std::min<std::uint64_t>(left, longest_length)));
    std::uint64_t length = 0;
    const char* const behind = read_varint(head.data(), head.data() + head.size(), length);
    if (behind == nullptr && head.size() == longest_length) {
        fail_length(offset, "a length of more than 5 bytes");
    }
    if (behind == nullptr) {
        fail_truncated(offset);
    }
    if (length > max_frame_bytes) {
        fail_length(offset, fmt::format("a frame of {} bytes", length));
    }
    const auto length_bytes = static_cast<std::uint64_t>(behind - head.data());
    if (length > left - length_bytes) {
        fail_truncated(offset);
    }
    const std::uint64_t begin = offset + length_bytes;
    offset = begin + length;
    return bytes(begin, static_cast<std::size_t>(length));
}

}  // namespace npunet::chakra

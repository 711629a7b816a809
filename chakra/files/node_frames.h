// The nodes of a trace file one after the other, whatever its format, as views of schema 0.0.4.
//
//     NodeFrames nodes("trace.0.et");
//     while (nodes.next()) {
//         use(nodes.view().id());
//     }
//
// What every reader of this library stands on: told from its content, a file is read as frames of
// some schema, compressed or not, or as JSON; nodes of older schemas are rewritten as 0.0.4. Where
// speed does not matter, chakra/files/trace_reader.h is simpler to use.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "chakra/trace/trace_format.h"
#include "chakra/wire/node_view.h"

namespace npunet::chakra {

/// A stream of nodes from one file. Memory: the longest node and a buffer of about 256 KiB; a JSON
/// file is held as a whole, in about as many bytes as it has.
class NodeFrames {
public:
    /// Opens the file, finds out what it is and reads its metadata. Throws InputError for a file
    /// that is missing or no trace, MachineError for one that cannot be read.
    explicit NodeFrames(const std::filesystem::path& path, const ReadOptions& options = {});
    ~NodeFrames();
    NodeFrames(NodeFrames&&) noexcept;
    NodeFrames& operator=(NodeFrames&&) noexcept;

    /// Moves on to the next node in the order of the file; false at the end. Throws InputError
    /// (file, frame, byte offset) for malformed input.
    [[nodiscard]] bool next();
    /// The current node; valid until next().
    [[nodiscard]] const NodeView& view() const;

    [[nodiscard]] const TraceFormat& format() const;
    [[nodiscard]] const TraceMetadata& metadata() const;
    /// The length of the metadata frame; 0 when there is none.
    [[nodiscard]] std::size_t metadata_bytes() const;
    /// The length of the current node's frame in the file.
    [[nodiscard]] std::size_t frame_bytes() const;
    /// How many bytes of the file, decompressed, were read.
    [[nodiscard]] std::uint64_t bytes_read() const;

    /// "frame 3 at byte 120": where the current node stands, for messages about it.
    [[nodiscard]] std::string place() const;
    /// Throws an InputError about the current node.
    [[noreturn]] void fail(std::string found, std::string expected, std::string remedy) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace npunet::chakra

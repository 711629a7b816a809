// Reads the execution trace of one rank, a node at a time.
//
//     chakra::TraceReader reader("gpt.0.et");
//     chakra::Node node;
//     while (reader.next(node)) {
//         ...
//     }
//
// Or, where the whole trace fits into memory: std::vector<Node> nodes = read_trace("gpt.0.et").
//
// Any form of Chakra's traces is read: frames of every schema since 0.0.1, with and without
// metadata, compressed or not, and JSON; which one a file has is told from its content. Nodes are
// those of schema 0.0.4 whatever the file has. Dependencies are not looked at here: see
// chakra/dependencies/dependency_check.h.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "chakra/files/node_frames.h"
#include "chakra/trace/node.h"
#include "chakra/trace/trace_format.h"

namespace npunet::chakra {

/// A stream of nodes from one file. Memory: one node and a buffer of about 256 KiB.
class TraceReader {
public:
    /// Opens the file and reads its metadata. Throws InputError for a file that is missing or is no
    /// trace, MachineError for one that cannot be read.
    explicit TraceReader(const std::filesystem::path& path, const ReadOptions& options = {});
    /// Reads the next node in the order of the file; false at the end. The memory of `node` is
    /// reused. Throws InputError (file, frame, byte offset) for malformed input.
    bool next(Node& node);

    /// False for a file that begins with a node or holds nothing; metadata() says nothing then.
    [[nodiscard]] bool has_metadata() const;
    [[nodiscard]] const TraceMetadata& metadata() const;
    [[nodiscard]] const TraceFormat& format() const;

    /// "frame 3 at byte 120": where the node last read stands, for messages about it.
    [[nodiscard]] std::string place() const;

private:
    NodeFrames frames_;
    UnknownNodeTypes unknown_types_;
};

/// All nodes of a trace, in the order of the file. Throws as TraceReader does.
[[nodiscard]] std::vector<Node> read_trace(const std::filesystem::path& path,
                                           const ReadOptions& options = {});

}  // namespace npunet::chakra

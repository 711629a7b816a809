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
// The format is Chakra's, schema 0.0.4, plain or gzip (told by content). A file may lack the
// metadata frame. Older schemas are refused where they can be recognised. Dependencies are not
// looked at here: see chakra/dependency_check.h.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "chakra/node.h"

namespace npunet::chakra {

/// The first frame of a trace.
struct TraceMetadata {
    std::string version = "0.0.4";  ///< of the schema; empty when the file does not say
    std::vector<Attribute> attributes;
};

/// A stream of nodes from one file. Memory: one node and a buffer of about 256 KiB.
class TraceReader {
public:
    /// Opens the file and reads its metadata. Throws InputError for a file that is missing, is no
    /// trace, or is of an older schema, MachineError for one that cannot be read.
    explicit TraceReader(const std::filesystem::path& path);
    ~TraceReader();
    TraceReader(TraceReader&&) noexcept;
    TraceReader& operator=(TraceReader&&) noexcept;

    /// Reads the next node in the order of the file; false at the end. The memory of `node` is
    /// reused. Throws InputError (file, frame, byte offset) for malformed input.
    bool next(Node& node);

    /// False for a file that begins with a node; metadata() is then empty.
    [[nodiscard]] bool has_metadata() const;
    [[nodiscard]] const TraceMetadata& metadata() const;

    /// "frame 3 at byte 120": where the node last read stands, for messages about it.
    [[nodiscard]] std::string place() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// All nodes of a trace, in the order of the file. Throws as TraceReader does.
[[nodiscard]] std::vector<Node> read_trace(const std::filesystem::path& path);

}  // namespace npunet::chakra

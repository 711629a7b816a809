// How a trace file is written, and what it says about itself.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chakra/trace/attribute.h"
#include "chakra/trace/schema.h"

namespace npunet::chakra {

/// The first frame of a trace.
struct TraceMetadata {
    std::string version = "0.0.4";  ///< of the schema; empty when the file does not say
    std::vector<Attribute> attributes;
    std::string rest{};   ///< fields of later schemas, as on the wire
    bool present = true;  ///< whether the file has such a frame at all
};

/// What a reader found a file to be.
struct TraceFormat {
    Schema schema = Schema::V0_0_4;
    bool metadata_frame = true;  ///< false for a file that begins with a node
    bool gzip = false;
    bool json = false;       ///< the nodes are JSON objects ("workload_graph"), not frames
    std::string reason;      ///< why this schema: one sentence
    bool ambiguous = false;  ///< another schema would do as well; the choice is a guess
};

/// What becomes of a node whose type schema 0.0.4 does not have.
enum class UnknownNodeTypes {
    Refuse,  ///< an InputError
    Keep     ///< Node::type is the number; node_type_from() tells
};

/// How to read a file.
struct ReadOptions {
    std::optional<Schema> schema{};  ///< this one, whatever the file looks like
    UnknownNodeTypes unknown_types = UnknownNodeTypes::Refuse;
};

/// What a form could not carry: a reason ("control dependencies", "attribute op_type", ...) and the
/// number of nodes that lost something for it.
using Losses = std::map<std::string, std::uint64_t>;

}  // namespace npunet::chakra

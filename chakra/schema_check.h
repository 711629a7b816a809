// Is this frame metadata, a node, or of an older schema? Nothing in a trace file says so: what a
// frame is has to be told from the fields it has. For the sources of this folder only.
//
// Facts used. Metadata has fields 1 (text) and 2 (messages) only, and before the final form of
// schema 0.0.4 field 1 held messages, so that "text" begins with control characters there. A node
// of schema 0.0.4 has fields 1 to 10; older schemas use other numbers up to 20, or the same with
// another wire type. Before 0.0.3 the numbers of the node types were one lower, so that a node
// named COMP_NODE... has the number of a memory store.
#pragma once

#include <et_def.pb.h>

#include <string_view>

namespace npunet::chakra {

enum class FrameKind {
    Metadata,  ///< GlobalMetadata of schema 0.0.4
    Node,      ///< Node of schema 0.0.4
    Older,     ///< either, of an older schema
    Unknown    ///< neither
};

/// What the first frame of a file is; fills `metadata` or `node` accordingly.
[[nodiscard]] FrameKind classify_first_frame(std::string_view frame,
                                             ChakraProtoMsg::GlobalMetadata& metadata,
                                             ChakraProtoMsg::Node& node);

/// Node, Older or Unknown; fills `node`.
[[nodiscard]] FrameKind classify_node_frame(std::string_view frame, ChakraProtoMsg::Node& node);

/// Whether a node's name says another type than its number: only meaningful in files without
/// metadata, which old files are.
[[nodiscard]] bool name_contradicts_type(const ChakraProtoMsg::Node& node);

}  // namespace npunet::chakra

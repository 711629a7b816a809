// Traces in forms for people, which nothing reads back: text, JSON as Protobuf maps it, a graph.
//
//     out << text_of(node);
//     write_protobuf_json(node, out);
//     write_dot(nodes, out);                     // dot -Tsvg trace.dot
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "chakra/trace/node.h"
#include "chakra/trace/trace_format.h"

namespace npunet::chakra {

/// A line for each thing that a node says:
///
///     node 3 COMM_COLL_NODE 'grad_all_reduce'
///         data deps  1, 2
///         duration   17 us
///         comm_size  int64_val  1048576
///
/// Every line ends with a line feed. Bytes that are no printable text stand as `\x1f`.
[[nodiscard]] std::string text_of(const Node& node);
[[nodiscard]] std::string text_of(const TraceMetadata& metadata);

/// As Chakra's jsonizer prints them: names in camelCase, 64-bit integers as strings, zero values
/// left out. The messages follow each other without a separator, so that the file is no JSON
/// document. Source: Protocol Buffers documentation, "ProtoJSON Format". Fields of later schemas
/// and text that is no UTF-8 (its bytes become U+FFFD) are not shown.
void write_protobuf_json(const TraceMetadata& metadata, std::ostream& out);
void write_protobuf_json(const Node& node, std::ostream& out);

/// No layout of more nodes says anything to people.
inline constexpr std::size_t most_drawn_nodes = 5000;

/// The dependencies of a small trace in the language of Graphviz. An edge goes from a node to the
/// one that waits for it: solid for data, dashed with a bar at its end for control. Dependencies on
/// absent nodes end in a node of their own, dotted.
void write_dot(const std::vector<Node>& nodes, std::ostream& out);

}  // namespace npunet::chakra

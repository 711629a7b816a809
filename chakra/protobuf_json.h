// The messages of a trace as the JSON that Protobuf's own mapping makes of them, which is what
// Chakra's jsonizer prints: names in camelCase, 64-bit integers as strings, zero values left out.
// To be read by people; nothing reads it back, and the messages follow each other without a
// separator, so that the file is no JSON document.
//
//     write_protobuf_json(reader.metadata(), out);
//     while (reader.next(node)) { write_protobuf_json(node, out); }
//
// Source: Protocol Buffers documentation, "ProtoJSON Format". Fields of later schemas and text that
// is no UTF-8 (its bytes become U+FFFD) are not shown.
#pragma once

#include <ostream>

#include "chakra/node.h"
#include "chakra/trace_format.h"

namespace npunet::chakra {

void write_protobuf_json(const TraceMetadata& metadata, std::ostream& out);
void write_protobuf_json(const Node& node, std::ostream& out);

}  // namespace npunet::chakra

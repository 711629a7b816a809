// Between chakra::Node and bytes of schema 0.0.4. For the sources of chakra only: no public
// header may include generated code.
#pragma once

#include <et_def.pb.h>

#include <string>
#include <string_view>

#include "chakra/trace/node.h"
#include "chakra/trace/trace_format.h"
#include "chakra/wire/node_view.h"

namespace npunet::chakra {

/// `view` was parsed.
void decode_attribute(const AttributeView& view, Attribute& attribute);
void decode_attribute(const ChakraProtoMsg::AttributeProto& message, Attribute& attribute);
/// `message` is that of an IOInfo which parses; `present` tells whether there is one.
void decode_tensors(std::string_view message, bool present, TensorText& tensors);

/// The metadata frame of schema 0.0.4; false when it is malformed.
[[nodiscard]] bool decode_metadata(std::string_view frame, TraceMetadata& metadata);
/// Replaces the content of `frame`.
void encode_metadata(const TraceMetadata& metadata, std::string& frame);

/// Replaces the content of `message`.
void encode_node(const Node& node, ChakraProtoMsg::Node& message);
void encode_attribute(const Attribute& attribute, ChakraProtoMsg::AttributeProto& message);

}  // namespace npunet::chakra

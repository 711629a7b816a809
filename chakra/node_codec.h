// Between chakra::Node and the generated message classes. For the sources of this folder only:
// no public header may include generated code.
#pragma once

#include <et_def.pb.h>

#include "chakra/node.h"

namespace npunet::chakra {

/// Everything but the type, which can be a number that the schema does not know. Reuses the memory
/// of `node`. Drops doc strings of attributes, which no producer writes.
void decode_node(const ChakraProtoMsg::Node& message, Node& node);
void decode_attribute(const ChakraProtoMsg::AttributeProto& message, Attribute& attribute);

/// Replaces the content of `message`.
void encode_node(const Node& node, ChakraProtoMsg::Node& message);
void encode_attribute(const Attribute& attribute, ChakraProtoMsg::AttributeProto& message);

}  // namespace npunet::chakra

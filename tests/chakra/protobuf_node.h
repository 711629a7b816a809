// What the readers of chakra/ make of a node, held against what Protobuf makes of it.
#pragma once

#include <et_def.pb.h>

#include <string>
#include <string_view>

#include "chakra/trace/node.h"
#include "chakra/wire/node_view.h"

namespace npunet::chakra {

/// The first thing in which the view, or the copy of it, is not what Protobuf says: empty when
/// there is none. Numbers are compared bit by bit.
[[nodiscard]] std::string difference(const ChakraProtoMsg::Node& expected, const NodeView& view);

/// Reads the frame as the readers do (NodeView, and canonical_node() where it refuses) and with
/// Protobuf: empty when both refuse it, or take it for the same.
[[nodiscard]] std::string difference_to_protobuf(std::string_view frame);

}  // namespace npunet::chakra

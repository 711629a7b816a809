// Kinds of nodes, by their types.
//
// C++17-clean.
#pragma once

#include "chakra/node.h"

namespace npunet::chakra {

/// A message or a collective.
[[nodiscard]] constexpr bool is_communication(NodeType type) {
    return type == NodeType::CommSend || type == NodeType::CommReceive ||
           type == NodeType::CommCollective;
}

}  // namespace npunet::chakra

// The nodes of schema 0.0.1: see chakra/older_nodes.h, which whoever reads or writes them includes.
// For the sources of this folder only.
#pragma once

#include <string>
#include <string_view>

#include "chakra/node.h"

namespace npunet::chakra {

/// As decode_older_node().
[[nodiscard]] bool decode_node_0_0_1(std::string_view frame, Node& node, std::string& error);

}  // namespace npunet::chakra

// A node as text for people, a line for each thing that it says.
//
//     node 3 COMM_COLL_NODE 'grad_all_reduce'
//         data deps  1, 2
//         duration   17 us
//         comm_size  int64_val  1048576
#pragma once

#include <string>

#include "chakra/node.h"
#include "chakra/trace_format.h"

namespace npunet::chakra {

/// Every line ends with a line feed. Bytes that are no printable text stand as `\x1f`.
[[nodiscard]] std::string text_of(const Node& node);
[[nodiscard]] std::string text_of(const TraceMetadata& metadata);

}  // namespace npunet::chakra

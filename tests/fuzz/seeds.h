// Small traces of every form, as inputs to begin with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chakra/files/trace_writer.h"
#include "chakra/trace/node.h"
#include "chakra/trace/schema.h"
#include "chakra/trace/trace_format.h"

namespace npunet::fuzz {

/// A file of a few nodes in this schema, by the classes generated from it.
[[nodiscard]] std::string made_file(chakra::Schema schema);
/// A file of a few nodes by our own writer; `compressed` with gzip.
[[nodiscard]] std::string written_file(chakra::WrittenForm form, bool compressed = false);
/// What our own writer makes of the nodes.
[[nodiscard]] std::string bytes_of_trace(const std::vector<chakra::Node>& nodes,
                                         const chakra::TraceMetadata& metadata,
                                         chakra::WrittenForm form, bool compressed = false);
/// Two ranks of one job, which exchange messages and run collectives.
[[nodiscard]] std::vector<std::string> rank_files();
/// Compute, communication and memory nodes with dependencies and every kind of attribute.
[[nodiscard]] std::vector<chakra::Node> varied_nodes();
/// Files of about so many bytes that are all nodes, as small as nodes are: no ids; ids that count;
/// ids that are far from each other.
[[nodiscard]] std::vector<std::string> dense_files(std::size_t bytes);
/// The bytes of made_file() in each schema, written_file() in each form, and one compressed.
[[nodiscard]] std::vector<std::string> all_files();

/// The same with some bytes before each.
[[nodiscard]] std::vector<std::string> with_prefix(std::string_view prefix,
                                                   std::vector<std::string> files);

}  // namespace npunet::fuzz

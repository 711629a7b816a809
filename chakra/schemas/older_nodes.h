// Nodes of the schemas before 0.0.4 as nodes of 0.0.4, and nodes as 0.0.1. For the sources of this
// folder only: whoever wants nodes wants chakra/files/trace_reader.h.
//
//     std::string error;
//     if (!decode_older_node(Schema::V0_0_1, frame, node, error)) {
//         input.fail(error, ...);
//     }
//
// What changes: the numbers of node types and collectives are those of 0.0.4; `parent` becomes
// data_deps; the run time (a field of 0.0.1, the attribute runtime or simulated_run_time of 0.0.2
// and 0.0.3) becomes duration_micros, whatever its unit was. Fields of 0.0.1 that 0.0.4 has no
// field for become attributes of the same name where the file has them: tensor_loc, tensor_size and
// both for input and output, num_ops, comm_type, involved_dim, comm_src, comm_dst, comm_size,
// comm_tag, comm_priority; communicator_id becomes pg_name, as decimal text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chakra/trace/node.h"
#include "chakra/trace/schema.h"
#include "chakra/trace/trace_format.h"

namespace npunet::chakra {

/// Replaces the content of `node` by what a frame of a schema from 0.0.1 to 0.0.3d holds; fields
/// that the schema does not know are skipped. False, with what was found in `error` ("comm_type 9
/// of node 4"), for bytes that are no node and for numbers without a meaning.
[[nodiscard]] bool decode_older_node(Schema schema, std::string_view frame, Node& node,
                                     std::string& error);

/// The same of schema 0.0.1.
[[nodiscard]] bool decode_node_0_0_1(std::string_view frame, Node& node, std::string& error);

/// The attributes of a metadata frame of 0.0.3c, 0.0.3d or 0.0.4-pre. False as above.
[[nodiscard]] bool decode_older_metadata(Schema schema, std::string_view frame,
                                         std::vector<Attribute>& attributes, std::string& error);

/// The node as a frame of schema 0.0.1; the same node gives the same bytes. Counts in `losses` what
/// is left out: METADATA nodes become INVALID ones, which take no time and keep the dependencies.
/// False, with what was found in `error`, when the schema cannot say how much is sent: its sizes of
/// messages have 32 bits.
[[nodiscard]] bool encode_node_0_0_1(const Node& node, std::string& frame, Losses& losses,
                                     std::string& error);

}  // namespace npunet::chakra

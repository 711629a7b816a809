// Traces as JSON: one object {"workload_graph": [node, ...]}, as the feeder of Chakra reads it.
// Internal to chakra: chakra/files/trace_reader.h reads nodes.
//
// Each node is an object with the feeder's keys, from which schema 0.0.4 follows: Id, Name,
// NodeType, runtime (us), data_deps, is_cpu_op, and for communication tensor_size, comm_type,
// comm_priority, comm_size, comm_src, comm_dst, comm_tag. That form cannot say everything. Ours
// adds, where there is something to say, keys that the feeder does not look at: ctrl_deps,
// start_time_micros, inputs, outputs and attributes, a list of {name, type, value} from which the
// node's attributes come when it is there. Text that is no UTF-8 is {"hex": "..."}. Keys come in
// any order; none of these may come twice, and others are skipped with whatever they hold.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "chakra/trace/node.h"
#include "chakra/trace/trace_format.h"

namespace npunet::chakra {

/// Whether a file that begins with these bytes is a JSON trace and not frames.
[[nodiscard]] bool is_json_trace(std::string_view beginning);

/// What a JSON trace holds.
struct JsonTrace {
    /// Absent where the document says null, as ours does of traces without; without anything in it
    /// where the document does not say.
    TraceMetadata metadata;
    bool has_metadata = false;  ///< the document says
    /// The nodes, each behind its length, in schema 0.0.4; every block holds whole nodes.
    std::vector<std::string> frames;
};

/// Reads the text of a file. Memory beside the text: the frames, and the largest node once more. A
/// list of numbers with a fraction is four times as long in a frame where each has one digit in the
/// text; all else is at most as long, or little longer. Throws InputError (file, line or node, key)
/// for what is no such document.
[[nodiscard]] JsonTrace read_json_trace(std::string_view text, const std::string& file);

/// Writes a document node by node: begin, each node, end.
class JsonTraceText {
public:
    explicit JsonTraceText(std::ostream& out) : out_(out) {}

    void begin(const TraceMetadata& metadata);
    void add(const Node& node);
    void end();

private:
    std::ostream& out_;
    bool first_ = true;
};

}  // namespace npunet::chakra

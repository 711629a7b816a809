// What is in a trace: counts, sums and dependencies in one pass over the file.
//
//     const TraceSummary summary = summarize_trace("gpt.0.et");
//     summary.nodes_by_type.at("COMP_NODE")
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.h"
#include "chakra/dependencies/dependency_graph.h"
#include "chakra/trace/trace_format.h"

namespace npunet::chakra {

/// Sums are exact up to 2^63 - 1 and stay there beyond; they count values that are integers.
struct TraceSummary {
    TraceFormat format;
    TraceMetadata metadata;
    std::uint64_t bytes = 0;           ///< of the file, decompressed
    std::uint64_t metadata_bytes = 0;  ///< of its first frame; 0 when that is a node
    std::uint64_t longest_node_bytes = 0;

    std::uint64_t nodes = 0;
    std::uint64_t unique_ids = 0;
    std::uint64_t lowest_id = 0;
    std::uint64_t highest_id = 0;
    std::vector<std::uint64_t> first_ids;  ///< of the first five nodes

    std::map<std::string, std::uint64_t> nodes_by_type;  ///< "COMP_NODE"; "type 9" for unknown ones
    /// Of all nodes with a comm_type, "ALL_REDUCE". Only on collectives does it mean something;
    /// some producers write it on messages too.
    std::map<std::string, std::uint64_t> comm_types;
    std::map<std::string, std::uint64_t> collectives;  ///< the same of collectives only
    std::map<std::string, std::uint64_t> attributes;   ///< "comm_size:int64_val"

    std::int64_t comm_size = 0;    ///< bytes
    std::int64_t num_ops = 0;      ///< floating-point operations
    std::int64_t tensor_size = 0;  ///< bytes
    std::int64_t duration_micros = 0;
    std::map<std::string, std::int64_t> comm_size_by_type;  ///< by the type of the nodes

    /// What the nodes of a communicator group send.
    struct Group {
        std::uint64_t nodes = 0;
        std::int64_t comm_size = 0;
    };
    std::map<std::string, Group> groups;  ///< by pg_name; "" for nodes that name none

    /// Recorded times; 0 where nothing was recorded.
    std::uint64_t first_start_micros = 0;
    std::uint64_t last_end_micros = 0;

    DependencyGraph::Counts data_deps;
    DependencyGraph::Counts ctrl_deps;
    bool acyclic = true;            ///< along data dependencies
    bool acyclic_with_ctrl = true;  ///< along data and control dependencies

    /// Why the file could not be read to its end; the rest describes what stands before that.
    std::optional<InputProblem> problem;
};

/// Time is that of reading, memory that of chakra/dependencies/dependency_graph.h. Throws
/// InputError for a file that is missing or is no trace at all, MachineError when it cannot be
/// read.
[[nodiscard]] TraceSummary summarize_trace(const std::filesystem::path& path,
                                           const ReadOptions& options = {});

}  // namespace npunet::chakra

// The PyTorch execution trace of one rank (ExecutionTraceObserver, JSON): what it knows of
// communication beyond the rank's Kineto profile, and how the two are joined.
//
//     const ExecutionTrace trace = read_execution_trace("pytorch_et_3.json.gz");
//     for (const RecordedCommunication& one : trace.communications) { ... }
//
// Nodes are read one after the other, so that memory is that of the communications. Every schema
// that PyTorch has written is read: 1.0.1 (flat nodes) to 1.1.1-chakra.0.0.4 (nodes with attrs).
// Execution traces have no times.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace npunet::profiles {

/// One record_param_comms: a collective, a send, a receive, or a wait for one. Numbers are -1 and
/// texts empty where the schema does not tell them.
struct RecordedCommunication {
    std::uint64_t record_function_id = 0;  ///< rf_id: ascends with the begin of the calls
    std::uint64_t thread = 0;              ///< the trace's own number, from 1
    std::string collective;                ///< "allreduce", "all_to_allv", "wait", ...
    std::int64_t in_elements = -1;
    std::int64_t out_elements = -1;
    std::int64_t element_bytes = -1;
    std::vector<std::int64_t> in_split;  ///< elements
    std::vector<std::int64_t> out_split;
    std::string group_name;
    std::string group_description;
    std::int64_t group_size = -1;
    std::int64_t first_rank = -1;  ///< of the group
    std::int64_t rank_stride = -1;
    std::int64_t sequence = -1;
    std::int64_t peer = -1;  ///< root, source or destination
};

struct ExecutionTrace {
    std::string file;
    std::string schema;  ///< "1.0.1", "1.1.0-chakra.0.0.4", ...
    std::int64_t pid = 0;
    std::uint64_t nodes = 0;
    std::uint64_t threads = 0;
    std::vector<RecordedCommunication> communications;  ///< ascending by record_function_id
};

/// Whether the file looks like an execution trace: an object with "schema" before any node.
[[nodiscard]] bool is_execution_trace(const std::filesystem::path& path);

/// Throws InputError (file, byte) for what is no execution trace or breaks off, MachineError when
/// the file cannot be read.
[[nodiscard]] ExecutionTrace read_execution_trace(const std::filesystem::path& path);

}  // namespace npunet::profiles

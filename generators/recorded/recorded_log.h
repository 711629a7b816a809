// The log of one rank that the recorder writes: what a training program did, in its order.
//
//     const LogHeader header = read_log_header("recording/rank.3.jsonl");
//     read_recorded_log("recording/rank.3.jsonl", [&](const RecordedEvent& event) { ... });
//
// JSON, one record a line; docs/record.md lists the records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "chakra/trace/node.h"

namespace npunet::generators::recorded {

struct LogHeader {
    Rank rank;
    std::int32_t ranks = 0;
    std::vector<std::vector<Rank>> groups;  ///< by number, as the program made them
    std::vector<std::string> backends;      ///< of the groups: "nccl", "gloo"
};

struct RecordedEvent {
    enum class Kind : std::uint8_t { Operation, Send, Receive, Collective, Wait, Mark, MarkWait };
    using Shapes = std::vector<std::vector<std::int64_t>>;

    Kind kind = Kind::Operation;
    std::int32_t stream = 0;
    /// Of a call, of the call that is waited for, or of an event of streams.
    std::int64_t number = 0;
    std::vector<std::int64_t> after;  ///< calls whose tensors it reads or writes
    std::int64_t bytes = 0;           ///< of memory traffic; of a call as comm_size
    std::size_t line = 0;             ///< in the log

    // Of an operation.
    std::string name;  ///< "backward.layers.0.mm"; of a call its function, "_allgather_base"
    std::string kernel;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::int64_t flops = 0;
    std::string operation;  ///< by the name of PyTorch: "aten::mm"
    std::string inputs;     ///< as profiler::inputs_text(); empty where the log does not have them

    // Of a call.
    chakra::CollectiveType collective = chakra::CollectiveType::Barrier;
    std::int32_t group = 0;  ///< by number
    Rank peer;               ///< of a message; the root of a collective
    std::int32_t tag = 0;
    std::vector<std::int64_t> sizes;  ///< of an all-to-all: bytes to each member
    std::string place;                ///< "train.py:57"
    std::string torch_type;           ///< "bfloat16"; empty without tensors
    std::string reduce_op;            ///< "sum"; empty for what does not reduce
    Shapes input_shapes;
    Shapes output_shapes;
};

/// A line of the program, and what a user should know about it.
struct LogWarning {
    std::string place;
    std::string message;
};

/// Reads up to the first event. Throws InputError (file, line) for what is not such a log.
[[nodiscard]] LogHeader read_log_header(const std::filesystem::path& file);

/// Reads all, and returns the warnings. Throws InputError (file, line) for what is not such a log,
/// also for one that ends early.
std::vector<LogWarning> read_recorded_log(const std::filesystem::path& file,
                                          const std::function<void(const RecordedEvent&)>& visitor);

}  // namespace npunet::generators::recorded

// A collective algorithm that was read from a file, in memory: what each GPU's thread blocks do.
//
// A thread block makes its steps in order. A step may receive a message, work on chunks of the
// GPU's buffers, and send one; before it, it may have to wait for steps of other thread blocks of
// the same GPU. A thread block sends to one peer and receives from one at most. There are two kinds
// of files:
//
// - MSCCL XML (msccl_reader.h): sizes in chunks of the collective's buffer, so that the algorithm
//   is one for all sizes. All steps are made once for each piece of a chunk (FifoProtocol).
// - traces (trace_reader.h): each node is a thread block with one step, and has a size of its own.
//
// Sizes that chunks do not divide: chunk i of n of S bytes has floor(S (i+1)/n) - floor(S i/n), and
// keeps its size wherever it is sent or copied, so that no byte is lost or made.
//
//     const std::shared_ptr<const FileAlgorithm> ring = read_algorithm_file("ring.xml", ...);
//
// C++17-clean.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_algorithms/implementation.h"
#include "engine/collective_files/fifo_protocol.h"

namespace npunet::engine {

enum class StepType : std::uint8_t {
    Send,
    Receive,
    ReceiveCopySend,
    ReceiveReduceSend,
    ReceiveReduceCopy,
    ReceiveReduceCopySend,
    Copy,     ///< within the GPU
    Reduce,   ///< within the GPU
    Nothing,  ///< only waits
    Compute   ///< of a trace
};

[[nodiscard]] constexpr bool sends(StepType type) {
    return type == StepType::Send || type == StepType::ReceiveCopySend ||
           type == StepType::ReceiveReduceSend || type == StepType::ReceiveReduceCopySend;
}
[[nodiscard]] constexpr bool receives(StepType type) {
    return type == StepType::Receive || type == StepType::ReceiveCopySend ||
           type == StepType::ReceiveReduceSend || type == StepType::ReceiveReduceCopy ||
           type == StepType::ReceiveReduceCopySend;
}
/// What is received is added to what is there.
[[nodiscard]] constexpr bool reduces_received(StepType type) {
    return type == StepType::ReceiveReduceSend || type == StepType::ReceiveReduceCopy ||
           type == StepType::ReceiveReduceCopySend;
}
/// It has chunks that it reads at its source, or writes at its destination.
[[nodiscard]] constexpr bool reads(StepType type) {
    return type == StepType::Send || type == StepType::Copy || type == StepType::Reduce ||
           reduces_received(type);
}
[[nodiscard]] constexpr bool writes(StepType type) {
    return type == StepType::Receive || type == StepType::ReceiveCopySend ||
           type == StepType::ReceiveReduceCopy || type == StepType::ReceiveReduceCopySend ||
           type == StepType::Copy || type == StepType::Reduce;
}

enum class ChunkBuffer : std::uint8_t { Input, Output, Scratch };

/// A chunk of a GPU.
struct ChunkPlace {
    ChunkBuffer buffer = ChunkBuffer::Input;
    std::int32_t offset = 0;
};

/// A step of a thread block of the same GPU.
struct StepReference {
    std::uint32_t block = 0;
    std::uint32_t step = 0;
};

struct AlgorithmStep {
    StepType type = StepType::Nothing;
    /// Others may wait for it.
    bool publishes = false;
    /// Reduce: the sum goes on from the step before, whose destination it has.
    bool continues = false;
    std::int32_t chunks = 0;
    ChunkPlace source;
    ChunkPlace destination;
    /// AlgorithmGpu::waits from first_wait on: each must have been made, in this piece.
    /// check_algorithm() puts the next step that publishes in the place of one that does not.
    std::uint32_t first_wait = 0;
    std::uint32_t waits = 0;
    /// AlgorithmGpu::parts from first_part on: which chunks of the whole buffer these are, one for
    /// each of `chunks`. Set by check_algorithm().
    std::uint32_t first_part = 0;
    /// Of a trace: the size of the message, or of what is reduced.
    Bytes bytes;
    Time duration;  ///< of a trace; 0 = not given
};

struct ThreadBlock {
    static constexpr std::int32_t no_peer = -1;

    std::int32_t send_to = no_peer;       ///< a GPU
    std::int32_t receive_from = no_peer;  ///< a GPU
    std::int32_t channel = 0;             ///< of a trace: the tag
    std::uint64_t node = 0;               ///< of a trace: its id
    std::vector<AlgorithmStep> steps;
    // Set by check_algorithm():
    std::uint32_t sends_to_block = 0;        ///< the thread block of send_to that receives
    std::uint32_t receives_from_block = 0;   ///< the thread block of receive_from that sends
    std::vector<std::uint32_t> followed_by;  ///< thread blocks that wait for steps of this one
};

struct AlgorithmGpu {
    /// Of the input, the output and the scratch buffer.
    std::array<std::int32_t, 3> chunks{};
    std::vector<ThreadBlock> blocks;
    std::vector<StepReference> waits;
    std::vector<std::uint32_t> parts;
};

struct FileAlgorithm {
    std::string file;
    std::string name;                    ///< as it says itself; else that of the file
    std::optional<CollectiveKind> kind;  ///< none: it may be used for any
    bool is_trace = false;
    bool in_place = false;
    /// Of the buffer that counts as the collective's size; 0 in a trace.
    std::int32_t chunks = 0;
    const FifoProtocol* protocol = nullptr;  ///< none in a trace: a send waits for no slot
    Bytes least;                             ///< sizes for which it is meant
    Bytes most = Bytes(std::numeric_limits<std::int64_t>::max());
    /// Of a trace: the size of the collective for which its sizes are meant; 0: for any.
    Bytes made_for;
    std::vector<AlgorithmGpu> gpus;

    /// "gpu 3, thread block 2, step 5"; of a trace "rank 3, node 5".
    [[nodiscard]] std::string place(std::size_t gpu, std::size_t block, std::size_t step) const;
};

/// The size by which files are chosen and cut into chunks, of a collective of `bytes` as in a
/// trace: all-gather and gather: the result of all `members`, of which `bytes` is one's; else
/// `bytes`.
[[nodiscard]] constexpr Bytes size_of_collective(CollectiveKind kind, Bytes bytes,
                                                 std::size_t members) {
    const bool gathers = kind == CollectiveKind::AllGather || kind == CollectiveKind::Gather;
    return gathers ? static_cast<std::int64_t>(members) * bytes : bytes;
}

/// The chunks that go together in one call: as many of `largest_chunk` as a call may move, at least
/// one.
[[nodiscard]] std::int32_t chunks_per_call(const FifoProtocol& protocol, Bytes largest_chunk);

}  // namespace npunet::engine

// What a rank's part in a collective with an algorithm from a file has come to: where its thread
// blocks are, and the messages that their steps send and receive.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/collective_files/file_algorithm.h"

namespace npunet::engine {

struct BlockState {
    static constexpr std::uint32_t none = 0xffffffff;

    std::uint32_t step = 0;        ///< of the thread block
    std::int64_t piece = 0;        ///< of the chunks
    std::uint32_t message = 0;     ///< of the step
    bool begun = false;            ///< the step has waited for all that it waits for
    bool received = false;         ///< the message is in, delays and all
    bool delayed = false;          ///< a delay, or a send of a trace, is under way
    bool done = false;             ///< with all steps of all pieces
    bool queued = false;           ///< in FileRun::to_advance
    std::uint32_t taken = 0;       ///< messages received
    std::uint32_t sent = 0;        ///< messages sent
    std::uint64_t steps_made = 0;  ///< of all pieces
    std::int32_t slots_taken = 0;  ///< by what it has sent
    /// By how much the slots that its messages will take exceed those that there are: the sender
    /// needs that number back, and no more.
    std::int64_t slots_wanted = 0;
    Time back_to_sender;                ///< the latency of the route back; with slots_wanted
    std::uint32_t peer_run = none;      ///< to which it sends; none before the first send
    std::uint32_t peer_operation = 0;   ///< there
    std::vector<FifoMessage> messages;  ///< of the step, in this piece
    /// Messages that are in and not taken: number and size, in any order.
    std::vector<std::pair<std::uint32_t, Bytes>> arrived;
};

/// One rank's thread blocks.
class FileRun {
public:
    /// `algorithm` must outlive this. `root`: the member that is GPU 0 in the file, 0 for kinds
    /// without a root; `size`: size_of_collective().
    FileRun(const FileAlgorithm& algorithm, std::size_t member, std::size_t root, Bytes size);

    [[nodiscard]] const FileAlgorithm& algorithm() const { return *algorithm_; }
    [[nodiscard]] const AlgorithmGpu& gpu() const { return algorithm_->gpus[gpu_]; }
    [[nodiscard]] const ThreadBlock& block(std::uint32_t number) const {
        return gpu().blocks[number];
    }
    /// The member that is a GPU of the file, and the inverse.
    [[nodiscard]] std::size_t member_of(std::size_t gpu) const { return (gpu + root_) % members(); }
    [[nodiscard]] std::size_t gpu_of(std::size_t member) const {
        return (member + members() - root_) % members();
    }
    /// Chunks that go together in a call.
    [[nodiscard]] std::int32_t per_call() const { return per_call_; }
    [[nodiscard]] std::int64_t pieces() const { return pieces_; }

    /// What a step moves in one piece of its chunks.
    [[nodiscard]] Bytes bytes_of(const AlgorithmStep& step, std::int64_t piece) const;
    /// The messages in which it does, appended: those that it receives, and those that it sends.
    void list_messages(const AlgorithmStep& step, std::int64_t piece,
                       std::vector<FifoMessage>& messages) const;
    /// The slots of all that a thread block receives in this collective.
    [[nodiscard]] std::int64_t slots_received(const ThreadBlock& block) const;
    /// Whether the steps that the next one waits for have been made.
    [[nodiscard]] bool may_begin(const BlockState& state, const AlgorithmStep& step) const;

    std::vector<BlockState> states;         ///< by thread block
    std::vector<std::uint32_t> to_advance;  ///< thread blocks that are to be looked at

private:
    [[nodiscard]] std::size_t members() const { return algorithm_->gpus.size(); }
    [[nodiscard]] Bytes piece_of_chunk(std::uint32_t part, std::int64_t piece) const;

    const FileAlgorithm* algorithm_;
    std::size_t gpu_;
    std::size_t root_;
    Bytes size_;
    std::int32_t per_call_ = 1;
    std::int64_t pieces_ = 1;
};

}  // namespace npunet::engine

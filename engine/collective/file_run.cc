#include "engine/collective/file_run.h"

#include <algorithm>

#include "chakra/trace/node.h"

namespace npunet::engine {

FileRun::FileRun(const FileAlgorithm& algorithm, std::size_t member, std::size_t root, Bytes size)
    : algorithm_(&algorithm), gpu_(0), root_(root), size_(size) {
    gpu_ = gpu_of(member);
    states.resize(gpu().blocks.size());
    if (algorithm.is_trace) {
        return;
    }
    const Bytes largest = Bytes((size.value() + algorithm.chunks - 1) / algorithm.chunks);
    per_call_ = chunks_per_call(*algorithm.protocol, largest);
    const std::int64_t a_piece = algorithm.protocol->call_bytes.value();
    pieces_ = std::max<std::int64_t>(1, (largest.value() + a_piece - 1) / a_piece);
}

Bytes FileRun::piece_of_chunk(std::uint32_t part, std::int64_t piece) const {
    const std::int64_t chunk = part_of(size_, part, algorithm_->chunks).value();
    const std::int64_t a_piece = algorithm_->protocol->call_bytes.value();
    return Bytes(std::clamp<std::int64_t>(chunk - piece * a_piece, 0, a_piece));
}

Bytes FileRun::bytes_of(const AlgorithmStep& step, std::int64_t piece) const {
    if (algorithm_->is_trace) {
        const Bytes made_for = algorithm_->made_for;
        if (made_for == Bytes()) {
            return step.bytes;
        }
        __extension__ using Wide = __int128;
        const Wide scaled = Wide{step.bytes.value()} * size_.value() / made_for.value();
        return Bytes(static_cast<std::int64_t>(std::min<Wide>(scaled, chakra::largest_comm_size)));
    }
    Bytes sum;
    for (std::int32_t i = 0; i < step.chunks; ++i) {
        sum += piece_of_chunk(gpu().parts[step.first_part + static_cast<std::uint32_t>(i)], piece);
    }
    return sum;
}

void FileRun::list_messages(const AlgorithmStep& step, std::int64_t piece,
                            std::vector<FifoMessage>& messages) const {
    if (algorithm_->is_trace) {
        messages.push_back({bytes_of(step, piece), 0});
        return;
    }
    for (std::int32_t first = 0; first < step.chunks;) {
        AlgorithmStep call = step;
        call.first_part = step.first_part + static_cast<std::uint32_t>(first);
        call.chunks = std::min(per_call_, step.chunks - first);
        algorithm_->protocol->add_call(bytes_of(call, piece), messages);
        first += call.chunks;
    }
}

std::int64_t FileRun::slots_received(const ThreadBlock& block) const {
    if (algorithm_->is_trace) {
        return 0;
    }
    std::vector<FifoMessage> messages;
    const auto slots_in = [&](std::int64_t piece) {
        messages.clear();
        for (const AlgorithmStep& step : block.steps) {
            if (receives(step.type)) {
                list_messages(step, piece, messages);
            }
        }
        std::int64_t sum = 0;
        for (const FifoMessage& message : messages) {
            sum += message.slots;
        }
        return sum;
    };
    // All pieces of all chunks are alike but the last ones.
    const std::int64_t least_chunk = size_.value() / algorithm_->chunks;
    const std::int64_t alike = least_chunk / algorithm_->protocol->call_bytes.value();
    std::int64_t sum = alike > 0 ? alike * slots_in(0) : 0;
    for (std::int64_t piece = alike; piece < pieces_; ++piece) {
        sum += slots_in(piece);
    }
    return sum;
}

bool FileRun::may_begin(const BlockState& state, const AlgorithmStep& step) const {
    for (std::uint32_t i = 0; i < step.waits; ++i) {
        const StepReference& wait = gpu().waits[step.first_wait + i];
        const std::uint64_t steps = block(wait.block).steps.size();
        if (states[wait.block].steps_made <=
            static_cast<std::uint64_t>(state.piece) * steps + wait.step) {
            return false;
        }
    }
    return true;
}

}  // namespace npunet::engine

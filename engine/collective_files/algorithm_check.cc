#include "engine/collective_files/algorithm_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>

#include "base/errors.h"
#include "engine/collective_files/untimed_steps.h"

namespace npunet::engine {

namespace {

constexpr std::array<const char*, 3> buffer_names{"input (i)", "output (o)", "scratch (s)"};

/// Sending GPU, receiving GPU and channel (of a trace: tag).
using ConnectionKey = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

/// The steps of one end of a connection, in order.
using EndOfConnection = std::vector<StepReference>;

struct Connection {
    EndOfConnection sent;
    EndOfConnection received;
};

class AlgorithmChecker {
public:
    explicit AlgorithmChecker(FileAlgorithm& algorithm) : algorithm_(algorithm) {}

    void check() {
        for (std::size_t gpu = 0; gpu < algorithm_.gpus.size(); ++gpu) {
            for (std::size_t block = 0; block < blocks(gpu).size(); ++block) {
                check_block(gpu, block);
            }
        }
        for (const auto& [key, connection] : connections_) {
            check_connection(key, connection);
        }
        allot_parts();
        UntimedSteps(algorithm_, std::numeric_limits<std::int32_t>::max())
            .make([this](std::size_t gpu, std::size_t block, std::size_t step) {
                move_parts(gpu, block, step);
            });
    }

private:
    [[nodiscard]] std::vector<ThreadBlock>& blocks(std::size_t gpu) {
        return algorithm_.gpus[gpu].blocks;
    }
    [[nodiscard]] AlgorithmStep& step_at(std::size_t gpu, const StepReference& at) {
        return blocks(gpu)[at.block].steps[at.step];
    }
    [[noreturn]] void refuse(std::size_t gpu, const StepReference& at, std::string found,
                             std::string expected) const {
        throw InputError({algorithm_.file, algorithm_.place(gpu, at.block, at.step),
                          std::move(found), std::move(expected), "Correct the file"});
    }

    void check_block(std::size_t gpu, std::size_t number) {
        const ThreadBlock& block = blocks(gpu)[number];
        const auto self = static_cast<std::int32_t>(gpu);
        for (std::size_t i = 0; i < block.steps.size(); ++i) {
            const StepReference at{static_cast<std::uint32_t>(number),
                                   static_cast<std::uint32_t>(i)};
            const AlgorithmStep& step = block.steps[i];
            check_waits(gpu, at, step);
            check_range(gpu, at, step.source, reads(step.type) ? step.chunks : 0);
            check_range(gpu, at, step.destination, writes(step.type) ? step.chunks : 0);
            if (sends(step.type)) {
                add(connections_[{self, block.send_to, block.channel}].sent, gpu, at);
            }
            if (receives(step.type)) {
                add(connections_[{block.receive_from, self, block.channel}].received, gpu, at);
            }
        }
    }

    /// A connection has one thread block at each end; in a trace each node is one.
    void add(EndOfConnection& end, std::size_t gpu, const StepReference& at) const {
        if (!algorithm_.is_trace && !end.empty() && end.back().block != at.block) {
            refuse(gpu, at,
                   fmt::format("the same peer and channel as thread block {}", end.back().block),
                   "one thread block for each peer, channel and direction");
        }
        end.push_back(at);
    }

    void check_waits(std::size_t gpu, const StepReference& at, const AlgorithmStep& step) {
        for (std::uint32_t i = 0; i < step.waits; ++i) {
            StepReference& wait = algorithm_.gpus[gpu].waits[step.first_wait + i];
            if (wait.block >= blocks(gpu).size() ||
                wait.step >= blocks(gpu)[wait.block].steps.size()) {
                refuse(gpu, at,
                       fmt::format("a dependency on step {} of thread block {}, which does not "
                                   "exist",
                                   wait.step, wait.block),
                       "depid and deps of a thread block and step of the same GPU");
            }
            ThreadBlock& other = blocks(gpu)[wait.block];
            // Who waits sees how far the other has come, when it has come to a step that says so.
            std::size_t telling = wait.step;
            while (telling < other.steps.size() && !other.steps[telling].publishes) {
                ++telling;
            }
            if (telling == other.steps.size()) {
                refuse(gpu, at,
                       fmt::format("a dependency on step {} of thread block {}, which has hasdep "
                                   "0, as have all steps after it",
                                   wait.step, wait.block),
                       "hasdep=\"1\" there");
            }
            wait.step = static_cast<std::uint32_t>(telling);
            if (other.followed_by.empty() || other.followed_by.back() != at.block) {
                other.followed_by.push_back(at.block);
            }
        }
    }

    void check_range(std::size_t gpu, const StepReference& at, const ChunkPlace& place,
                     std::int32_t chunks) const {
        if (chunks == 0 || algorithm_.is_trace) {
            return;
        }
        const auto buffer = static_cast<std::size_t>(place.buffer);
        const std::int64_t there = room(gpu, place.buffer);
        if (place.offset < 0 || place.offset + std::int64_t{chunks} > there) {
            refuse(gpu, at,
                   fmt::format("{} chunk{} from offset {} of the {} buffer", chunks,
                               chunks == 1 ? "" : "s", place.offset, buffer_names[buffer]),
                   fmt::format("offsets below {}, the chunks of that buffer", there));
        }
    }

    /// In place one buffer is both input and output, and files give its size once.
    [[nodiscard]] std::int32_t room(std::size_t gpu, ChunkBuffer buffer) const {
        const std::array<std::int32_t, 3>& chunks = algorithm_.gpus[gpu].chunks;
        const std::int32_t own = chunks[static_cast<std::size_t>(buffer)];
        return algorithm_.in_place && own == 0 && buffer != ChunkBuffer::Scratch
                   ? std::max(chunks[0], chunks[1])
                   : own;
    }

    void check_connection(const ConnectionKey& key, const Connection& connection) {
        const auto [from, to, channel] = key;
        const auto sender = static_cast<std::size_t>(from);
        const auto receiver = static_cast<std::size_t>(to);
        const std::size_t pairs = std::min(connection.sent.size(), connection.received.size());
        const char* const over = algorithm_.is_trace ? "with tag" : "over channel";
        if (connection.sent.size() > pairs) {
            refuse(sender, connection.sent[pairs],
                   fmt::format("send number {} to {} {} {}, of which {} receives {}", pairs + 1, to,
                               over, channel, to, pairs),
                   "a receive for each send");
        }
        if (connection.received.size() > pairs) {
            refuse(receiver, connection.received[pairs],
                   fmt::format("receive number {} from {} {} {}, of which {} sends {}", pairs + 1,
                               from, over, channel, from, pairs),
                   "a send for each receive");
        }
        for (std::size_t i = 0; i < pairs; ++i) {
            const StepReference& out = connection.sent[i];
            const StepReference& in = connection.received[i];
            const AlgorithmStep& send = step_at(sender, out);
            const AlgorithmStep& receive = step_at(receiver, in);
            if (send.chunks != receive.chunks || send.bytes != receive.bytes) {
                const bool trace = algorithm_.is_trace;
                refuse(receiver, in,
                       fmt::format("a receive of {} {}, to which {} sends {}",
                                   trace ? receive.bytes.value() : receive.chunks,
                                   trace ? "bytes" : "chunks",
                                   algorithm_.place(sender, out.block, out.step),
                                   trace ? send.bytes.value() : send.chunks),
                       "as much as is sent");
            }
            blocks(sender)[out.block].sends_to_block = in.block;
            blocks(receiver)[in.block].receives_from_block = out.block;
            sent_by_[{to, in.block, in.step}] = out;
        }
    }

    /// Which chunks of the whole buffer lie where before the first step.
    void allot_parts() {
        if (algorithm_.is_trace) {
            return;
        }
        parts_of_.resize(algorithm_.gpus.size());
        for (std::size_t gpu = 0; gpu < algorithm_.gpus.size(); ++gpu) {
            for (const ChunkBuffer buffer :
                 {ChunkBuffer::Input, ChunkBuffer::Output, ChunkBuffer::Scratch}) {
                std::vector<std::uint32_t>& parts =
                    parts_of_[gpu][static_cast<std::size_t>(buffer)];
                parts.resize(static_cast<std::size_t>(room(gpu, buffer)));
                for (std::size_t i = 0; i < parts.size(); ++i) {
                    parts[i] = first_part(gpu, buffer, i);
                }
            }
            std::uint32_t count = 0;
            for (ThreadBlock& block : blocks(gpu)) {
                for (AlgorithmStep& step : block.steps) {
                    step.first_part = count;
                    count += static_cast<std::uint32_t>(step.chunks);
                }
            }
            algorithm_.gpus[gpu].parts.resize(count);
        }
    }

    /// A shard of a GPU is its part of the whole buffer.
    [[nodiscard]] std::uint32_t first_part(std::size_t gpu, ChunkBuffer buffer,
                                           std::size_t i) const {
        const CollectiveKind kind = algorithm_.kind.value_or(CollectiveKind::AllReduce);
        const bool shard =
            (buffer == ChunkBuffer::Input &&
             (kind == CollectiveKind::AllGather || kind == CollectiveKind::Gather)) ||
            (buffer == ChunkBuffer::Output &&
             (kind == CollectiveKind::Scatter || kind == CollectiveKind::ReduceScatter));
        const auto chunks = static_cast<std::size_t>(algorithm_.chunks);
        const std::size_t own = shard ? gpu * chunks / algorithm_.gpus.size() : 0;
        return static_cast<std::uint32_t>((own + i) % chunks);
    }

    [[nodiscard]] std::uint32_t* parts_at(std::size_t gpu, const ChunkPlace& place) {
        // In place with one size given, both names are one buffer.
        const std::array<std::int32_t, 3>& chunks = algorithm_.gpus[gpu].chunks;
        const bool other = place.buffer != ChunkBuffer::Scratch &&
                           chunks[static_cast<std::size_t>(place.buffer)] == 0;
        const std::size_t buffer = other ? 1 - static_cast<std::size_t>(place.buffer)
                                         : static_cast<std::size_t>(place.buffer);
        return parts_of_[gpu][buffer].data() + place.offset;
    }

    void move_parts(std::size_t gpu, std::size_t block, std::size_t number) {
        const StepReference at{static_cast<std::uint32_t>(block),
                               static_cast<std::uint32_t>(number)};
        const AlgorithmStep& step = step_at(gpu, at);
        if (step.chunks == 0 || algorithm_.is_trace) {
            return;
        }
        const std::uint32_t* moved = nullptr;
        if (receives(step.type)) {
            const auto sender = static_cast<std::size_t>(blocks(gpu)[block].receive_from);
            const StepReference from =
                sent_by_.at({static_cast<std::int32_t>(gpu), at.block, at.step});
            moved = algorithm_.gpus[sender].parts.data() + step_at(sender, from).first_part;
        } else {
            moved = parts_at(gpu, step.source);
        }
        std::uint32_t* const own = algorithm_.gpus[gpu].parts.data() + step.first_part;
        std::copy_n(moved, step.chunks, own);
        if (writes(step.type)) {
            std::copy_n(own, step.chunks, parts_at(gpu, step.destination));
        }
    }

    FileAlgorithm& algorithm_;
    std::map<ConnectionKey, Connection> connections_;
    /// By receiving GPU, thread block and step: the step that sends.
    std::map<std::tuple<std::int32_t, std::uint32_t, std::uint32_t>, StepReference> sent_by_;
    std::vector<std::array<std::vector<std::uint32_t>, 3>> parts_of_;  ///< by GPU and buffer
};

}  // namespace

void check_algorithm(FileAlgorithm& algorithm) {
    AlgorithmChecker(algorithm).check();
}

void check_slots(const FileAlgorithm& algorithm, std::int32_t per_call) {
    UntimedSteps(algorithm, per_call).make([](std::size_t, std::size_t, std::size_t) {});
}

}  // namespace npunet::engine

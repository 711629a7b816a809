// What a rank's part in a collective has come to: its streams, and the queues in which they wait.
//
// C++17-clean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/collective/channel_run.h"
#include "engine/collective/file_run.h"
#include "engine/collective/nvls_run.h"
#include "engine/collective/plan.h"

namespace npunet::engine {

/// A message that came before its exchange had started.
struct EarlyMessage {
    std::uint32_t stream;
    std::uint32_t phase;
    std::int32_t exchange;
    Bytes bytes;
    /// For heaps whose top is the message that is due first.
    friend bool operator<(const EarlyMessage& a, const EarlyMessage& b) {
        return a.phase != b.phase ? a.phase > b.phase : a.exchange > b.exchange;
    }
};

/// One lane of one chunk, in two cache lines.
struct alignas(64) Stream {
    std::uint32_t index = 0;
    std::uint32_t phase = 0;
    std::int32_t count = 0;  ///< exchanges of the phase
    std::int32_t started = 0;
    std::int32_t received = 0;
    std::int32_t completed = 0;
    std::int32_t reductions = 0;       ///< so many exchanges, the first ones, reduce
    bool active = false;               ///< in its phase, not waiting for a place in the queue
    bool in_sequence = false;          ///< each exchange waits for all before it
    bool has_early = false;            ///< messages that came too early are kept
    const Rank* line = nullptr;        ///< the members of the phase
    Rank peer;                         ///< to whom it sent last,
    std::uint32_t peer_run = 0;        ///< that one's part in the collective,
    std::uint32_t peer_operation = 0;  ///< and its operation
    PhaseShape shape;
    std::unique_ptr<std::vector<EarlyMessage>> early;  ///< heap; null before the first

    void keep(const EarlyMessage& message) {
        if (!early) {
            early = std::make_unique<std::vector<EarlyMessage>>();
        }
        early->push_back(message);
        std::push_heap(early->begin(), early->end());
        has_early = true;
    }
    [[nodiscard]] bool early_message_is_due() const {
        return has_early && early->front().phase == phase && early->front().exchange < started;
    }
    EarlyMessage take_early() {
        const EarlyMessage message = early->front();
        std::pop_heap(early->begin(), early->end());
        early->pop_back();
        has_early = !early->empty();
        return message;
    }
    /// Begins the phase whose number it has; true when its first exchange sends.
    bool enter_phase(const CollectivePlan& plan);
    [[nodiscard]] bool next_may_start() const {
        if (started == count) {
            return false;
        }
        if (in_sequence) {
            return completed == started;
        }
        const Gate gate = exchange_gate(shape, started);
        return completed >= gate.completed && received >= gate.received;
    }
};

/// The streams that may work in one dimension at a time.
struct StreamQueue {
    std::int32_t running = 0;
    std::size_t begun = 0;              ///< turns taken (CollectivePlan::turn)
    std::deque<std::uint32_t> waiting;  ///< the reference: in the order of coming
};

/// One rank in one collective.
struct CollectiveRun {
    std::vector<Stream> streams;
    std::uint32_t index = 0;  ///< its number
    Rank rank;
    std::uint32_t operation = 0;
    std::uint32_t instance = 0;
    std::uint32_t member = 0;
    bool started = false;
    bool filling = false;          ///< queues are being looked at
    bool recalled = false;         ///< its end is known (remembered_collectives.h)
    bool mirrored = false;         ///< it ends with another one (mirrored_collectives.h)
    std::size_t streams_left = 0;  ///< from a file, or of a library: thread blocks
    std::size_t present = 0;       ///< members that have started, of a collective in closed form
    std::int32_t blocks = 0;       ///< thread blocks of a library that take part
    CollectivePlan plan;
    std::vector<StreamQueue> queues;
    std::vector<EarlyMessage> early;       ///< until the run has streams
    std::vector<std::int32_t> to_fill;     ///< queues that are to be looked at
    std::unique_ptr<FileRun> file;         ///< with an algorithm from a file, in place of streams
    std::unique_ptr<ChannelRun> channels;  ///< of a communication library, in place of streams
    std::unique_ptr<NvlsRun> nvls;         ///< the same by NVLS

    /// The streams and queues of the plan; all of the first phase are to be looked at.
    void make_streams();
    /// Takes the stream that is to start in a queue next, in the order of CollectivePlan::turn();
    /// false when it is not there yet, or as many are under way as may be.
    bool take_next(std::int32_t queue, std::uint32_t& stream);
    /// The same in the order of coming, as in the reference.
    bool take_waiting(std::int32_t queue, std::uint32_t& stream);
    /// A stream has ended its phase: which queues are to be looked at.
    void leave_phase(Stream& stream);

    /// The queue of the phase in which a stream is.
    [[nodiscard]] StreamQueue& queue_of(const Stream& stream) {
        return queues[static_cast<std::size_t>(plan.phase(stream.index, stream.phase).queue)];
    }
    /// Rank and operation in one word.
    [[nodiscard]] std::uint64_t who() const {
        return (static_cast<std::uint64_t>(rank.value()) << 32) | operation;
    }
};

}  // namespace npunet::engine

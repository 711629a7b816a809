// Runs the collectives of all ranks as messages: moves the chunks of every member's part through
// their phases, and says when a rank is done. Which collectives belong together: instances.h.
//
// At a rank each chunk is a stream. A stream in a phase owns `window` tokens; a token that is free
// starts the next exchange (one send; its receive is thereby posted); when the message of a posted
// receive is in, the token costs the endpoint delay, then the reduction where one is due, and is
// free again. The phase ends when all exchanges are started and all tokens are back. Messages that
// come before their receive is posted wait.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "engine/collective/instances.h"
#include "engine/collective/plan.h"
#include "engine/rank_timers.h"
#include "engine/results.h"
#include "engine/transport.h"

namespace npunet::engine {

class CollectiveListener {
public:
    virtual void on_collective_done(Rank rank, std::uint32_t operation) = 0;

protected:
    ~CollectiveListener() = default;
};

class CollectiveEngine final : private MessageOwner, private EventHandler {
public:
    CollectiveEngine(const Workload& workload, const topology::NetworkDescription& network,
                     const SystemConfig& system, const Dialect& dialect, EventQueue& queue,
                     RankTimers& timers, Transport& transport, CollectiveListener& listener);

    /// Starts a rank's part in its next collective of the group. Returns true when it is done at
    /// once (nothing to send); else the listener hears of it. Throws StallError when the group's
    /// members disagree about their k-th collective.
    [[nodiscard]] bool start(Rank rank, std::uint32_t operation);

    /// The collectives so far, by first start.
    [[nodiscard]] std::vector<CollectiveResult> results() const { return instances_.results(); }

    /// What a rank that sits in a collective waits for: the members that have not come.
    [[nodiscard]] std::string explain(Rank rank, std::int32_t group) const {
        return instances_.explain(rank, group);
    }

private:
    /// A message that came before its receive was posted.
    struct Early {
        std::uint32_t stream;
        std::uint32_t phase;
        std::int32_t exchange;
        Bytes bytes;
        /// For heaps whose top is the message that is due first.
        friend bool operator<(const Early& a, const Early& b) {
            return a.phase != b.phase ? a.phase > b.phase : a.exchange > b.exchange;
        }
    };
    struct Stream {
        std::uint32_t phase = 0;
        bool active = false;  ///< in its phase, not waiting for a place in the queue
        std::int32_t count = 0;
        std::int32_t window = 0;
        std::int32_t barrier = 0;
        std::int32_t started = 0;
        std::int32_t received = 0;
        std::int32_t completed = 0;
        std::int32_t free_tokens = 0;
        PhaseShape shape;
        std::vector<Early> early;  ///< heap
    };
    struct Queue {
        std::int32_t running = 0;
        std::deque<std::uint32_t> waiting;
    };
    /// One rank in one collective.
    struct Run {
        Rank rank;
        std::uint32_t operation = 0;
        std::uint32_t instance = 0;
        bool started = false;
        CollectivePlan plan;
        std::vector<Stream> streams;
        std::vector<Queue> queues;
        std::vector<Early> early;           ///< until the run has streams
        std::vector<std::int32_t> to_fill;  ///< queues that fill_queues() must look at
        bool filling = false;
        std::size_t streams_left = 0;
    };
    struct Token {
        std::uint32_t run;
        std::uint32_t stream;
        Time reduction;  ///< still to be paid
        bool initial;
    };

    void on_sent(const MessageNote&) override {}
    void on_delivered(const MessageNote& note, Bytes bytes, Time first_byte_left) override;
    void handle(std::uint64_t token) override;

    std::uint32_t run_of(std::uint32_t instance, std::size_t member, Rank rank);
    void release(std::uint32_t instance);

    /// Starts what the limit allows in the queues of Run::to_fill, one after the other. Called from
    /// within itself it leaves them to the outer call: chunks whose messages are all there would
    /// otherwise nest as deep as there are chunks.
    void fill_queues(std::uint32_t run);
    void fill_queue(std::uint32_t run, std::int32_t queue);
    void start_phase(std::uint32_t run, std::uint32_t stream);
    void end_phase(std::uint32_t run, std::uint32_t stream);
    void advance(std::uint32_t run, std::uint32_t stream);
    void start_exchange(Run& run, std::uint32_t stream);
    static void keep_early(Stream& stream, const Early& message);
    bool take_early(std::uint32_t run, std::uint32_t stream);
    /// A posted receive is in; returns true when its token is free at once.
    bool receive(std::uint32_t run, std::uint32_t stream, std::int32_t exchange, Bytes bytes);
    /// Pays the delays of a token; returns true when there are none.
    bool pay(std::uint32_t run, std::uint32_t stream, Time endpoint, Time reduction, bool initial);
    void free_token(Stream& stream, bool initial);
    [[nodiscard]] Time reduction_time(Rank rank, Bytes bytes) const;

    const Workload& workload_;
    const SystemConfig& system_;
    const Dialect& dialect_;
    EventQueue& queue_;
    RankTimers& timers_;
    Transport& transport_;
    CollectiveListener& listener_;
    CollectivePlanner planner_;
    CollectiveInstances instances_;
    std::vector<double> memory_bandwidth_;  ///< by rank, 10^9 bytes per second
    std::vector<Run> runs_;
    std::vector<std::uint32_t> free_runs_;
    std::vector<Token> tokens_;
    std::vector<std::uint32_t> free_tokens_;
};

}  // namespace npunet::engine

// Timers of ranks: compute that ends, delays at the endpoints.
//
// The timers of one rank that end at one instant are one event: they run one after another in the
// order in which they were started. That is the reference's rule, and it saves events.
//
//     timers.start(rank, Time::ns(10), handler, payload);   // handler.handle(payload) in 10 ns
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "engine/clock/event_queue.h"

namespace npunet::engine {

class RankTimers final : private EventHandler {
public:
    RankTimers(EventQueue& queue, std::size_t ranks) : queue_(queue), batches_of_(ranks) {}

    /// Calls handler.handle(payload) after `delay`.
    void start(Rank rank, Time delay, EventHandler& handler, std::uint64_t payload);

private:
    static constexpr std::uint32_t none = 0xffffffff;

    struct Item {
        EventHandler* handler;
        std::uint64_t payload;
        std::uint32_t next;
    };
    /// The timers of one rank and instant, a list of items.
    struct Batch {
        Time at;
        Rank rank;
        std::uint32_t first;
        std::uint32_t last;
    };

    void handle(std::uint64_t batch) override;
    std::uint32_t new_item(EventHandler& handler, std::uint64_t payload);
    std::uint32_t new_batch(const Batch& batch);

    EventQueue& queue_;
    std::vector<std::vector<std::uint32_t>> batches_of_;  ///< by rank: those to come, few
    std::vector<Batch> batches_;
    std::vector<std::uint32_t> free_batches_;
    std::vector<Item> items_;
    std::uint32_t free_items_ = none;
};

}  // namespace npunet::engine

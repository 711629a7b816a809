// Timers of ranks: compute that ends, delays at the endpoints.
//
// In the npunet order the timers of one instant are sorted by rank and by the rank's own count. The
// reference batches them: all timers of a rank that end at the same instant run one after another
// at the place in the queue of the first of them; Order::Insertion reproduces that.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "engine/event_queue.h"

namespace npunet::engine {

class RankTimers {
public:
    RankTimers(EventQueue& queue, std::size_t ranks) : queue_(queue), of_rank_(ranks) {}

    /// Calls handler.handle(payload) after `delay`.
    void start(Rank rank, Time delay, EventHandler& handler, std::uint64_t payload);

private:
    struct Batch {
        Time at;
        std::uint64_t key;
        std::uint64_t size;
    };
    struct PerRank {
        std::uint64_t count = 0;
        std::vector<Batch> batches;  ///< reference order only: instants not yet passed
    };

    EventQueue& queue_;
    std::vector<PerRank> of_rank_;
};

}  // namespace npunet::engine

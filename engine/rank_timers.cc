#include "engine/rank_timers.h"

#include <algorithm>

#include "engine/clock_limit.h"
#include "engine/network.h"

namespace npunet::engine {

namespace {

/// EventQueue::schedule_behind() has room for so many; then a batch begins anew.
constexpr std::uint64_t most_behind = std::uint64_t{1} << 20;

}  // namespace

void RankTimers::start(Rank rank, Time delay, EventHandler& handler, std::uint64_t payload) {
    PerRank& own = of_rank_[rank.index()];
    const Time at = later(queue_.now(), delay);
    if (queue_.order() == EventQueue::Order::Content) {
        constexpr unsigned count_bits = 36;
        const std::uint64_t content =
            (static_cast<std::uint64_t>(rank.value()) << count_bits) | own.count++;
        queue_.schedule(at, EventKey::of(Phase::Arrival, event_kind::timer, content), handler,
                        payload);
        return;
    }
    std::vector<Batch>& batches = own.batches;
    const Time now = queue_.now();
    batches.erase(std::remove_if(batches.begin(), batches.end(),
                                 [now](const Batch& batch) { return batch.at < now; }),
                  batches.end());
    const auto batch = std::find_if(batches.begin(), batches.end(), [at](const Batch& entry) {
        return entry.at == at && entry.size < most_behind;
    });
    if (batch == batches.end()) {
        batches.push_back({at, queue_.schedule(at, EventKey(), handler, payload), 1});
    } else {
        queue_.schedule_behind(at, batch->key + batch->size++, handler, payload);
    }
}

}  // namespace npunet::engine

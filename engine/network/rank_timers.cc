#include "engine/network/rank_timers.h"

#include <algorithm>

#include "engine/clock/clock_limit.h"
#include "engine/network/network.h"

namespace npunet::engine {

std::uint32_t RankTimers::new_item(EventHandler& handler, std::uint64_t payload) {
    if (free_items_ == none) {
        items_.push_back({&handler, payload, none});
        return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t item = free_items_;
    free_items_ = items_[item].next;
    items_[item] = {&handler, payload, none};
    return item;
}

std::uint32_t RankTimers::new_batch(const Batch& batch) {
    if (free_batches_.empty()) {
        batches_.push_back(batch);
        return static_cast<std::uint32_t>(batches_.size() - 1);
    }
    const std::uint32_t index = free_batches_.back();
    free_batches_.pop_back();
    batches_[index] = batch;
    return index;
}

void RankTimers::start(Rank rank, Time delay, EventHandler& handler, std::uint64_t payload) {
    const Time at = later(queue_.now(), delay);
    std::vector<std::uint32_t>& own = batches_of_[rank.index()];
    const std::uint32_t item = new_item(handler, payload);
    // The latest first: it is the likeliest.
    for (auto index = own.rbegin(); index != own.rend(); ++index) {
        Batch& batch = batches_[*index];
        if (batch.at == at) {
            items_[batch.last].next = item;
            batch.last = item;
            return;
        }
    }
    const std::uint32_t batch = new_batch({at, rank, item, item});
    own.push_back(batch);
    queue_.schedule(
        at,
        EventKey::of(Phase::Arrival, event_kind::timer, static_cast<std::uint64_t>(rank.value())),
        *this, batch);
}

void RankTimers::handle(std::uint64_t payload) {
    const auto batch = static_cast<std::uint32_t>(payload);
    // A handler may start further timers of this rank and instant: they join the list.
    std::uint32_t item = batches_[batch].first;
    while (item != none) {
        const Item timer = items_[item];
        timer.handler->handle(timer.payload);
        const std::uint32_t next = items_[item].next;
        items_[item].next = free_items_;
        free_items_ = item;
        item = next;
    }
    std::vector<std::uint32_t>& own = batches_of_[batches_[batch].rank.index()];
    own.erase(std::find(own.begin(), own.end(), batch));
    free_batches_.push_back(batch);
}

}  // namespace npunet::engine

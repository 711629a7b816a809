#include "packet/transport/retransmission_timers.h"

#include "base/quantities.h"
#include "engine/network/network.h"

#include <algorithm>

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

void RetransmissionTimers::restart(QueuePair& pair, std::uint32_t number) {
    const bool waits = pair.credit && pair.credit->balance <= 0 && pair.grants_needed() > 0;
    constexpr std::uint32_t most_doublings = 6;
    const std::int64_t now = clock_.now();
    const std::int64_t factor = std::int64_t{1} << std::min(pair.backoff, most_doublings);
    // A deadline beyond the range of Time becomes `never`.
    pair.deadline = pair.in_flight == 0 && !waits
                        ? never
                        : later(Time::ps(now), Time::ps(capped_product(factor, pair.timeout))).ps();
    if (notes_) {
        const EventKey timers = EventKey::of(Phase::Arrival, engine::event_kind::timeout, 0);
        noted_.push_back({number, now, pair.deadline, !(clock_.position() < timers)});
    }
    if (pair.deadline < pair.timer) {
        pair.timer = pair.deadline;
        await(pair, number);
    }
}

void RetransmissionTimers::await(const QueuePair& pair, std::uint32_t number) {
    clock_.schedule(pair.timer, EventKey::of(Phase::Arrival, engine::event_kind::timeout, pair.key),
                    event_, number);
}

bool RetransmissionTimers::expires(std::uint32_t number) {
    QueuePair& pair = pairs_[number];
    const std::int64_t now = clock_.now();
    if (pair.timer != now || (clock_.is_suspended() && pair.is_in_flight())) {
        return false;
    }
    pair.timer = never;
    if (pair.deadline <= now) {
        return true;
    }
    if (pair.deadline != never) {
        pair.timer = pair.deadline;
        await(pair, number);
    }
    return false;
}

void RetransmissionTimers::note(bool wanted) {
    notes_ = wanted;
    if (wanted) {
        noted_.clear();
    }
}

void RetransmissionTimers::move(const std::vector<std::uint32_t>& flows,
                                const engine::StateSample& earlier,
                                const engine::StateSample& present, std::int64_t periods) {
    const auto before = [](const TimerRestart& one, const TimerRestart& other) {
        return one.pair < other.pair;
    };
    std::stable_sort(noted_.begin(), noted_.end(), before);
    for (const std::uint32_t number : flows) {
        const auto [first, last] = std::equal_range(noted_.begin(), noted_.end(),
                                                    TimerRestart{number, 0, 0, false}, before);
        const RestartDetection restarts(noted_.data() + (first - noted_.begin()),
                                        noted_.data() + (last - noted_.begin()), earlier.at,
                                        present.at - earlier.at);
        QueuePair& pair = pairs_[number];
        pair.timer = restarts.timer_after(pair.timer, periods);
    }
}

void RetransmissionTimers::reschedule(const std::vector<std::uint32_t>& flows) {
    for (const std::uint32_t number : flows) {
        const QueuePair& pair = pairs_[number];
        if (pair.timer != never) {
            await(pair, number);
        }
    }
}

}  // namespace npunet::packet

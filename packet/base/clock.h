#pragma once

#include "base/quantities.h"
#include "engine/event_queue.h"

#include <cstdint>

namespace npunet::packet {

/// The time and the events of a network with Ethernet-like switches. They are the simulation's, but
/// where packet trains have moved the network on (PeriodicTransport): it stands still meanwhile, so
/// that what is due is no news, and makes up for the rest on a queue besides.
///
///     EthernetClock clock(queue);
///     clock.schedule(clock.now() + 500, key, handler, 7);
class EthernetClock {
public:
    /// @param queue the simulation's events; must outlive this
    explicit EthernetClock(engine::EventQueue& queue) : queue_(&queue) {}

    EthernetClock(const EthernetClock&) = delete;
    EthernetClock& operator=(const EthernetClock&) = delete;

    /// @return now, in picoseconds
    std::int64_t now() const { return queue_->now().ps(); }

    /// @return how far the present instant has come
    engine::EventKey position() const { return queue_->position(); }

    /// @param at when, in picoseconds
    /// @param key orders the events of that instant
    /// @param handler of the event; must outlive it
    /// @param number that the handler gets
    void schedule(std::int64_t at, engine::EventKey key, engine::EventHandler& handler,
                  std::uint64_t number) {
        queue_->schedule(Time::ps(at), key, handler, number);
    }

    /// @param queue of the events from now on, with a time of its own; must outlive this or the
    /// next
    ///              call
    void use_queue(engine::EventQueue& queue) { queue_ = &queue; }

    /// @return whether the network stands still
    bool is_still() const { return still_; }

    /// @param still whether the network stands still from now on
    void stand_still(bool still) { still_ = still; }

private:
    engine::EventQueue* queue_;  ///< of the events
    bool still_ = false;         ///< the network stands still
};

}  // namespace npunet::packet

// Time and events of a packet network. They are the simulation's, except after a fast-forward of an
// Ethernet network (PeriodicTransport): while traffic is suspended, due events of the network are
// ignored; to replay the rest of a period, the clock switches to a separate queue with its own
// time. A node that is advanced by itself in a lookahead window is ahead of the queue.
//
//     PacketClock clock(queue);
//     clock.schedule(clock.now() + 500, key, handler, 7);
#pragma once

#include "base/quantities.h"
#include "engine/clock/event_queue.h"

#include <cstdint>

namespace npunet::packet {

class PacketClock {
public:
    /// `queue` is the simulation's and must outlive the clock.
    explicit PacketClock(engine::EventQueue& queue) : queue_(&queue) {}

    PacketClock(const PacketClock&) = delete;
    PacketClock& operator=(const PacketClock&) = delete;

    /// In picoseconds.
    std::int64_t now() const { return is_ahead_ ? ahead_at_ : queue_->now().ps(); }

    /// How far the present instant has been processed.
    engine::EventKey position() const { return is_ahead_ ? ahead_position_ : queue_->position(); }

    /// Until back(), time and position are those of a node that is ahead of the queue.
    void run_ahead(std::int64_t at, engine::EventKey position) {
        is_ahead_ = true;
        ahead_at_ = at;
        ahead_position_ = position;
    }

    void back() { is_ahead_ = false; }

    /// `at` is in picoseconds, `number` is passed to the handler, which must outlive the event.
    void schedule(std::int64_t at, engine::EventKey key, engine::EventHandler& handler,
                  std::uint64_t number) {
        queue_->schedule(Time::ps(at), key, handler, number);
    }

    /// Throws the StallError of an event beyond the end of the clock.
    void refuse_late() {
        /// Never called: the queue rejects the time.
        struct Never final : engine::EventHandler {
            void handle(std::uint64_t /* payload */) override {}
        } handler;
        queue_->schedule(Time::max(), engine::EventKey(), handler);
    }

    engine::EventQueue& queue() { return *queue_; }

    /// Switches to a queue with its own time, which must outlive the clock or the next call.
    void use_queue(engine::EventQueue& queue) { queue_ = &queue; }

    /// Whether the network's traffic is suspended by a fast-forward.
    bool is_suspended() const { return suspended_; }

    void set_suspended(bool suspended) { suspended_ = suspended; }

private:
    engine::EventQueue* queue_;
    bool suspended_ = false;
    bool is_ahead_ = false;
    std::int64_t ahead_at_ = 0;
    engine::EventKey ahead_position_;
};

}  // namespace npunet::packet

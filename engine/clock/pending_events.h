// The events that a queue still has, for those who scan a state (state_scan.h): each scans its own,
// and what is left belongs to others, with times that do not move.
//
//     PendingEvents events(queue);
//     events.scan(scan, delay_end_, [&](EventQueue::Pending& event) { scan.same(event.payload); });
//     if (scan.moves()) queue.replace_pending(events.all());
//
// C++17-clean: reached from the ns-3 module.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/clock/event_queue.h"
#include "engine/clock/state_scan.h"

namespace npunet::engine {

class PendingEvents {
public:
    explicit PendingEvents(const EventQueue& queue)
        : events_(queue.pending()), scanned_(events_.size(), false) {}

    /// The events of a handler, in order: their times, and, by `content`, what they are about.
    template <class Content>
    void scan(StateScan& scan, const EventHandler& handler, Content content) {
        for (std::size_t i = 0; i < events_.size(); ++i) {
            EventQueue::Pending& event = events_[i];
            if (event.handler != &handler) {
                continue;
            }
            scanned_[i] = true;
            std::int64_t at = event.at.ps();
            scan.instant(at);
            event.at = Time::ps(at);
            content(event);
        }
        scan.same(std::int64_t{-1});
    }

    /// The events of a handler move along, but decide nothing.
    void accompany(const StateScan& scan, const EventHandler& handler) {
        for (std::size_t i = 0; i < events_.size(); ++i) {
            if (events_[i].handler == &handler) {
                scanned_[i] = true;
                events_[i].at = events_[i].at + Time::ps(scan.moves() ? scan.by() : 0);
            }
        }
    }

    /// When the first event is due that has not been scanned; Time::max() when there is none.
    [[nodiscard]] Time first_left() const {
        for (std::size_t i = 0; i < events_.size(); ++i) {
            if (!scanned_[i]) {
                return events_[i].at;
            }
        }
        return Time::max();
    }

    [[nodiscard]] const std::vector<EventQueue::Pending>& all() const { return events_; }

private:
    std::vector<EventQueue::Pending>
        events_;  ///< those that are left in the order in which they come
    std::vector<bool> scanned_;
};

}  // namespace npunet::engine

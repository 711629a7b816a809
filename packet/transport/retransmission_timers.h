// Retransmission timeouts of queue pairs. Nearly every answer restarts them; so each queue pair has
// at most one timer event, which a restart does not postpone: when it is due, it checks whether the
// timeout has expired.
//
// For fast-forward, restarts are recorded; the times of the events after skipped periods follow
// from these (RestartDetection).
#pragma once

#include "packet/base/clock.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/restart_detection.h"

#include "engine/clock/state_scan.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class RetransmissionTimers {
public:
    /// All arguments must outlive this. `event` calls expires() with the number it is given.
    RetransmissionTimers(PacketClock& clock, QueuePairTable& pairs, engine::EventHandler& event)
        : clock_(clock), pairs_(pairs), event_(event) {}

    RetransmissionTimers(const RetransmissionTimers&) = delete;
    RetransmissionTimers& operator=(const RetransmissionTimers&) = delete;

    /// Restarts the timeout, or stops it where nothing is in flight and no credit is awaited.
    void restart(QueuePair& pair, std::uint32_t number);

    /// The timer event of a queue pair is due: whether its timeout has expired.
    bool expires(std::uint32_t number);

    /// Starts or stops recording restarts.
    void note(bool wanted);

    /// The state was advanced by `periods`: moves the timers of the queue pairs `flows`. `earlier`:
    /// sample of when note() began; `present`: an equal one, of when the state was advanced.
    void move(const std::vector<std::uint32_t>& flows, const engine::StateSample& earlier,
              const engine::StateSample& present, std::int64_t periods);

    /// The clock has switched to another event queue: schedules the timers of the queue pairs
    /// `flows` there.
    void reschedule(const std::vector<std::uint32_t>& flows);

private:
    /// Schedules an event at QueuePair::timer.
    void await(const QueuePair& pair, std::uint32_t number);

    PacketClock& clock_;
    QueuePairTable& pairs_;
    engine::EventHandler& event_;
    std::vector<TimerRestart> noted_;
    bool notes_ = false;
};

}  // namespace npunet::packet

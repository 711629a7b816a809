#pragma once

#include "packet/base/clock.h"
#include "packet/base/member_event.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/restart_detection.h"

#include "engine/state_scan.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// What happens when a retransmission timeout runs out.
class TimeoutHandler {
public:
    /// There was no progress for as long as there may be none.
    /// @param number of the queue pair
    virtual void timed_out(std::uint32_t number) = 0;

protected:
    ~TimeoutHandler() = default;
};

/// The retransmission timeouts of queue pairs. They begin anew with nearly every answer; so there
/// is at most one event for each queue pair that is not put off but looks, when it is due, whether
/// the timeout has.
///
/// For packet trains it is noted when they begin anew, from which follows where the events are
/// after periods that nobody has simulated (RestartDetection).
class RetransmissionTimers {
public:
    /// All of these must outlive this.
    /// @param clock the network's
    /// @param pairs the queue pairs
    /// @param handler hears of timeouts
    RetransmissionTimers(EthernetClock& clock, QueuePairTable& pairs, TimeoutHandler& handler)
        : clock_(clock), pairs_(pairs), handler_(handler) {}

    RetransmissionTimers(const RetransmissionTimers&) = delete;
    RetransmissionTimers& operator=(const RetransmissionTimers&) = delete;

    /// The timeout begins anew, or ends where nothing is in flight and no credit is waited for.
    /// @param pair a queue pair
    /// @param number of the pair
    void restart(QueuePair& pair, std::uint32_t number);

    /// Begins to note when timeouts begin anew, or ceases to.
    /// @param wanted whether they are noted
    void note(bool wanted);

    /// The state was moved on: where the timers are that run since note().
    /// @param flows numbers of queue pairs
    /// @param earlier a sample of when that was
    /// @param present one that equals it, of when the state was moved on
    /// @param periods by how many
    void move(const std::vector<std::uint32_t>& flows, const engine::StateSample& earlier,
              const engine::StateSample& present, std::int64_t periods);

    /// The clock has another queue of events: those of timers are scheduled there.
    /// @param flows numbers of queue pairs
    void schedule_anew(const std::vector<std::uint32_t>& flows);

private:
    /// Makes QueuePair::timer an event.
    /// @param pair a queue pair
    /// @param number of the pair
    void await(const QueuePair& pair, std::uint32_t number);

    /// The event of a timer is due.
    /// @param number of the queue pair
    void due(std::uint32_t number);

    EthernetClock& clock_;                                  ///< the network's
    QueuePairTable& pairs_;                                 ///< the queue pairs
    TimeoutHandler& handler_;                               ///< hears of timeouts
    std::vector<TimerRestart> noted_;                       ///< restarts of timeouts
    bool notes_ = false;                                    ///< they are noted
    MemberEvent<&RetransmissionTimers::due> event_{*this};  ///< of queue pairs
};

}  // namespace npunet::packet

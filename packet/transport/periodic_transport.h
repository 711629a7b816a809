#pragma once

#include "engine/period_search.h"
#include "engine/state_scan.h"
#include "packet/base/voq.h"

#include "engine/event_queue.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

/// In place of a port: any of those by which messages start.
inline constexpr std::uint32_t any_port = none - 1;

/// The network whose packets PeriodicTransport moves by periods.
class PeriodicTransportHost {
public:
    /// PeriodicTransport::packet_starts() is to be called.
    /// @param port for whose own data; ANY_PORT, or none
    /// @param from when on, in picoseconds
    virtual void watch(std::uint32_t port, std::int64_t from) = 0;

    /// Finds the flows that are under way, which stay the same until messages begin or end.
    /// @return words that were looked at
    virtual std::size_t collect_flows() = 0;

    /// Goes through the state, at an instant before its choices.
    /// @param scan describes, compares or moves
    virtual void scan(engine::StateScan& scan) = 0;

    /// @param earlier a sample
    /// @param present one that equals it, of the state as it is
    /// @return how many times what is between them happens again before anything else does, as far
    ///         as the network knows
    virtual std::int64_t periods_left(const engine::StateSample& earlier,
                                      const engine::StateSample& present) const = 0;

    /// Begins to note what timers do, or ceases to.
    /// @param wanted whether it is noted
    virtual void note_timers(bool wanted) = 0;

    /// No event does anything until go_on().
    virtual void stand_still() = 0;

    /// Goes on after stand_still().
    /// @param earlier a sample, with counts, taken when note_timers() began
    /// @param present one that equals it, of the state as it is
    /// @param periods by which the state is moved on
    /// @param until all events of the present instant with lower keys are made up for, and all
    /// those
    ///              before
    virtual void go_on(const engine::StateSample& earlier, engine::StateSample& present,
                       std::int64_t periods, engine::EventKey until) = 0;

protected:
    ~PeriodicTransportHost() = default;
};

/// Packet trains for networks with Ethernet-like switches, where everything depends on everything:
/// switches share their buffers, pauses spread, answers go back. So the network as a whole is
/// looked at, whenever one port, the anchor, has sent a packet of its own. When its state at t
/// equals that at t - P (engine::StateScan), it does from t on what it has done since t - P, over
/// and over, until
/// - a message has no full period of packets left, or
/// - something comes from outside: a message, or somebody who looks.
/// Until then the network stands still. Then its state is moved on by as many whole periods as have
/// passed, and the rest of the period that has begun is made up for packet by packet, on a queue of
/// events of its own. The result is that of all packets one by one, in every figure.
///
/// Timers of retransmissions run out behind each other at distances that have nothing to do with
/// the period, though they never do anything but begin anew. So when a state repeats itself one
/// more period is simulated, in which it is noted when timeouts begin anew; from that follows where
/// the timers are.
class PeriodicTransport final : private engine::EventHandler {
public:
    /// @param queue the simulation's events; must outlive this
    /// @param host the network; must outlive this
    PeriodicTransport(engine::EventQueue& queue, PeriodicTransportHost& host);

    /// A message is about to begin, or ends.
    void messages_change();

    /// A port that is watched has started a packet of its own.
    /// @param port the port
    /// @param unsent packets that are behind it in its flow
    /// @param now in picoseconds
    /// @param end when the packet has left, in picoseconds
    void packet_starts(std::uint32_t port, std::int64_t unsent, std::int64_t now, std::int64_t end);

    /// Brings the network up to the present.
    void settle();

    /// @param enabled whether the network may stand still from now on
    void enable(bool enabled);

private:
    /// What is being done.
    enum class Stage : std::uint8_t {
        Off,         ///< nothing
        Waiting,     ///< for the end of a break, and a port with much to send
        Searching,   ///< for a period
        Confirming,  ///< one more period, with notes
        Still        ///< the network stands still
    };

    /// The anchor's packet has left, or the network has stood still for as long as it may.
    void handle(std::uint64_t payload) override;

    /// @param at in picoseconds
    void plan(std::int64_t at);

    /// Waits for an attempt.
    void wait();

    /// Looks whether the state was there before.
    void look_for_period();

    /// Describes the state, to compare others with it.
    void keep(bool counts);

    /// @param counts whether counts are wanted
    /// @return whether the state is the one that is kept
    bool repeats(bool counts);

    /// The state has repeated itself: sees to one more period.
    void begin_to_confirm();

    /// Another look meanwhile.
    void confirm();

    /// Lets the network go on.
    void resume();

    /// @return whether what could be skipped is worth the effort
    bool is_worthwhile() const;

    /// @param words that were looked at
    void charge(std::size_t words);

    engine::EventQueue& queue_;     ///< the simulation's events
    PeriodicTransportHost& host_;   ///< the network
    Stage stage_ = Stage::Waiting;  ///< what is being done
    std::uint64_t serial_ = 0;      ///< events with others are stale
    std::uint32_t anchor_ = none;   ///< by whose packets the state is looked at
    std::int64_t packet_time_ = 0;  ///< of the last anchor, in picoseconds
    std::uint32_t break_ = engine::PeriodSearch::first_break;  ///< before the next attempt
    engine::PeriodSearch search_;                              ///< for a period
    engine::LookBudget budget_;                                ///< what may be looked at
    std::uint64_t work_ = 0;                                   ///< words of this attempt
    std::uint64_t kept_events_ = 0;                            ///< handled until the kept state
    std::uint32_t looks_left_ = 0;                             ///< until the period is confirmed
    engine::StateSample kept_;                                 ///< an earlier state
    engine::StateSample present_;                              ///< without words: they are the same
    std::int64_t periods_ = 0;  ///< for which the network may stand still
};

}  // namespace npunet::packet

// Fast-forward of periodic traffic on networks with Ethernet-like switches, where all state is
// coupled: switches share their buffers, pauses spread, acknowledgements return. So the state of
// the whole network is sampled, whenever one port, the anchor, has sent a packet injected there.
// When the state at t equals that at t - P (engine::StateScan), the network repeats from t on what
// it has done since t - P, until
// - a message has no full period of packets left, or
// - something external happens: a message, or a query of the state.
//
// Until then the network stands still. Then its state is advanced by as many whole periods as have
// passed, and the rest of the current period is replayed packet by packet, on an event queue of its
// own. Every figure equals that of a packet-by-packet simulation.
//
// Events of retransmission timers are spaced independently of the period, although all they do is
// reschedule themselves. So when a state has repeated, one more period is simulated in which
// restarts of timeouts are recorded; the times of the timers after the skipped periods follow from
// these (RestartDetection).
#pragma once

#include "packet/base/constants.h"

#include "engine/clock/event_queue.h"
#include "engine/clock/period_search.h"
#include "engine/clock/state_scan.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

/// In place of a port: any port at which messages start.
inline constexpr std::uint32_t any_port = none - 1;

/// The network that PeriodicTransport advances by periods.
class PeriodicTransportHost {
public:
    /// Requests PeriodicTransport::packet_starts() for packets injected at `port` from `from` on,
    /// in picoseconds. `port`: a port, any_port, or none to end the requests.
    virtual void watch(std::uint32_t port, std::int64_t from) = 0;

    /// Finds the flows in progress, which stay the same until messages begin or end. Returns the
    /// words examined.
    virtual std::size_t collect_flows() = 0;

    /// What a look costs beside the words that it scans, as words.
    virtual std::size_t words_per_look() const = 0;

    /// Scans the state, after the arrivals of an instant and before its arbitration.
    virtual void scan(engine::StateScan& scan) = 0;

    /// How many times the period between two equal samples happens again before anything else does,
    /// as far as the network knows. `present` is of the current state.
    virtual std::int64_t periods_left(const engine::StateSample& earlier,
                                      const engine::StateSample& present) const = 0;

    /// Starts or stops recording restarts of timeouts.
    virtual void note_timers(bool wanted) = 0;

    /// Events have no effect until resume().
    virtual void suspend() = 0;

    /// Ends suspend(). `earlier`: a sample with counts, taken when note_timers() began;
    /// `present`: an equal one, of the current state, which is advanced by `periods`. Then all
    /// earlier instants, and the events of the present instant with keys below `until`, are
    /// replayed.
    virtual void resume(const engine::StateSample& earlier, engine::StateSample& present,
                        std::int64_t periods, engine::EventKey until) = 0;

protected:
    ~PeriodicTransportHost() = default;
};

class PeriodicTransport final : private engine::EventHandler {
public:
    /// Both must outlive this.
    PeriodicTransport(engine::EventQueue& queue, PeriodicTransportHost& host);

    /// To be called before a message begins, and when one ends.
    void messages_change();

    /// A watched port has started a packet injected there. `unsent`: packets that follow it in its
    /// flow; `end`: when the packet has left; `samples`: whether the state may be sampled then, as
    /// no node is ahead of the port's. Times in picoseconds.
    void packet_starts(std::uint32_t port, std::int64_t unsent, std::int64_t now, std::int64_t end,
                       bool samples);

    /// Brings the network up to the present.
    void settle();

    /// Whether fast-forward is allowed from now on.
    void enable(bool enabled);

private:
    enum class Stage : std::uint8_t {
        Off,         ///< fast-forward is disabled
        Waiting,     ///< for the end of a break, and a port with many packets to send
        Searching,   ///< for a period
        Confirming,  ///< simulating one more period, with restarts recorded
        Still        ///< the network stands still
    };

    /// The anchor's packet has left, or the last period that may be skipped has ended.
    void handle(std::uint64_t payload) override;

    /// Schedules the next sample, in picoseconds.
    void plan(std::int64_t at);

    /// Waits for the next attempt. `now`: in picoseconds.
    void wait(std::int64_t now);

    /// Compares the state with the stored one.
    void look_for_period();

    /// Stores the state, for comparison with later ones.
    void keep(bool counts);

    /// Whether the state equals the stored one.
    bool repeats(bool counts);

    /// The state has repeated: one more period is to be simulated.
    void begin_to_confirm();

    void confirm();

    void resume();

    /// Whether the gain of skipping exceeds its cost.
    bool is_worthwhile() const;

    /// Counts words that were examined.
    void charge(std::size_t words);

    engine::EventQueue& queue_;
    PeriodicTransportHost& host_;
    Stage stage_ = Stage::Waiting;
    std::uint64_t serial_ = 0;      ///< events with another number are stale
    std::uint32_t anchor_ = none;   ///< port whose packets trigger samples
    std::int64_t packet_time_ = 0;  ///< of the last anchor, in picoseconds
    /// Packet times until the next attempt.
    std::uint32_t break_ = engine::PeriodSearch::first_break;
    engine::PeriodSearch search_;
    engine::LookBudget budget_;
    std::uint64_t work_ = 0;           ///< words examined in this attempt
    std::uint64_t kept_events_ = 0;    ///< handled when the state was stored
    std::uint64_t period_events_ = 0;  ///< handled in the period that repeats
    std::uint32_t looks_left_ = 0;     ///< until the period is confirmed
    engine::StateSample kept_;         ///< the stored state
    engine::StateSample present_;      ///< without words, which equal those of kept_
    std::int64_t periods_ = 0;         ///< that may be skipped
};

}  // namespace npunet::packet

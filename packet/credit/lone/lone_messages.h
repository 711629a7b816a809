// Messages that are alone on every link while they use it are computed, not simulated: a
// LoneProfile says when each packet starts at each hop, the message books its links for those
// times, and two events of the queue report that it was sent and delivered. When it is delivered,
// or a booking is over, that is counted, with the figures that the packets would have left.
//
// A port is either booked, by any number of messages at times that do not overlap, or it has
// packets and send-queue entries. Before a packet or an entry comes to a booked port, or the state
// is looked at, what is booked there and not over is turned into packets at that instant: the
// profile says which packets have started at which hop, which wait where, and which credits are on
// their way. The other bookings of every port that then has packets are turned, too, and so on.
//
// Why this is exact: a decision depends on the heads that have arrived, their credit, and the round
// robin. Where there is never more than one head, with credit (LoneProfile), the round robin makes
// no difference; it is left as the packets would have left it. Where there is more than one, the
// network has packets.
//
//     if (!lone.book(message)) { step.start(message); }
//
// Not with traffic classes, a limited speed-up, per-packet routing, observers, histograms, or where
// the network is split. Times in picoseconds.
#pragma once

#include "packet/base/constants.h"
#include "packet/credit/deferred_notifications.h"
#include "packet/credit/lone/lone_profiles.h"
#include "packet/credit/lone/port_bookings.h"
#include "packet/credit/network_state.h"

#include "base/pool.h"
#include "engine/clock/state_scan.h"
#include "topology/network/network_description.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class SwitchStep;

class LoneMessages {
public:
    /// The payload of the events of `handlers` is for sent() and delivered(). All must outlive
    /// this.
    LoneMessages(const topology::NetworkDescription& description, SwitchStep& step,
                 const MessageHandlers& handlers);

    LoneMessages(const LoneMessages&) = delete;
    LoneMessages& operator=(const LoneMessages&) = delete;

    /// Whether the network has nothing that rules them out.
    static bool are_possible(const CreditNetworkState& state) {
        return !state.several && !state.reads.are_limited();
    }

    /// A message starts: books its links if it will be alone there. If false, nothing has happened.
    bool book(std::uint32_t message);

    /// An event: the place of the message that was sent; none where the event is obsolete.
    std::uint32_t sent(std::uint32_t number) {
        lones_[number].was_sent = true;
        return lones_[number].message;
    }

    /// An event: the place of the message that was delivered; none where the event is obsolete.
    std::uint32_t delivered(std::uint32_t number);

    /// A packet or a message is about to come to a port that is booked, which it no longer is then.
    void make_room(std::uint32_t port);

    /// Turns all messages into packets, and counts what has happened of them.
    void settle();

    /// Lookahead windows that threads share have packets only: turns all messages into packets,
    /// and leaves the next ones to them for a while.
    void settle_for_threads();

    /// Whether no message has the port from now on. Counts what is over.
    bool is_over(std::uint32_t port) {
        remove_past(port, state_.present());
        return bookings_.first(port) == none;
    }

    /// Fast-forward of collective steps: what is over is counted and removed, so that the state
    /// does not depend on when that is done.
    void prepare_scan();

    void scan(engine::StateScan& scan, const engine::FlowProgress& ids);

    /// What is booked of a port and not over: words that are equal where it is, relative to the
    /// present. Of messages that have been delivered.
    void describe(std::uint32_t port, std::vector<std::int64_t>& words);

    /// The place of a message whose events are to come; none where they are obsolete.
    std::uint32_t message(std::uint32_t number) const { return lones_[number].message; }

    const MessageHandlers& handlers() const { return handlers_; }

    /// Whether messages may be computed from now on.
    void enable(bool enabled) { enabled_ = enabled; }

private:
    /// A message that is computed, or was until it was turned into packets.
    struct Lone {
        std::uint64_t id = 0;
        std::int64_t start = 0;        ///< of its first packet
        std::int64_t turn = 0;         ///< MessageRecord::turn
        std::uint32_t profile = none;  ///< number in the LoneProfiles
        std::uint32_t hop = 0;         ///< its first in the RoutePlan
        std::uint32_t message = none;  ///< its place; none: not computed any more, or delivered
        std::uint32_t bookings = 0;    ///< that are not over
        std::uint32_t starts = none;   ///< while it is turned: place in starts_
        bool was_sent = false;         ///< its event has come
        bool pending = true;           ///< its last event is to come
        std::uint32_t next = none;     ///< in the list of free places
    };

    /// After conflicts some messages of a port are not computed.
    struct Break {
        std::uint32_t length = 0;  ///< of the last break, in messages
        std::uint32_t left = 0;    ///< messages until its end
    };

    /// Removes the bookings of a port that are over by `now`.
    void remove_past(std::uint32_t port, std::int64_t now) {
        while (bookings_.first(port) != none &&
               bookings_[bookings_.first(port)].credit_end <= now) {
            remove_first(port);
        }
    }

    void remove_first(std::uint32_t port);

    /// Counts a booking whose packets have all started, unless that was done.
    void count(std::uint32_t port, Booking& booking);

    /// Whether the port has no packets and messages, and is free with all credit, `buffer` bytes,
    /// from `from` on.
    bool is_open(const PlannedHop& hop, std::int64_t buffer, std::int64_t from);

    /// Records the load of the first `packets` that have started at a hop.
    void record_load(std::uint32_t port, const Lone& lone, std::size_t hop,
                     std::int64_t packets) const;

    /// The first start of a message that is sent now, at its first port, where it can be known: now
    /// or at the end of the packet on the link; otherwise never.
    std::int64_t first_start(std::uint32_t port, std::int64_t now) const;

    /// Turns what ports_ have booked into packets.
    void turn();

    /// Turns a port's bookings along with the others.
    void add_port(std::uint32_t port);

    /// Begins to turn a message: finds the ports where it has packets or credit.
    void begin_turn(std::uint32_t number, std::int64_t now, std::int64_t until);

    /// Decides whether the message proceeds by packets, and brings its record up to date.
    void update(Lone& lone);

    /// Counts what has happened, and puts packets, messages and credits where they are.
    void apply(std::uint32_t port, const Booking& booking, std::int64_t now);

    /// Counts the first `packets` that have started at a hop.
    void count(std::uint32_t port, const Lone& lone, std::size_t hop, std::int64_t packets);

    void put_credits(const Lone& lone, std::size_t hop, std::int64_t now);

    void put_packets(const Lone& lone, std::size_t hop);

    void put_message(const Lone& lone);

    /// While it is turned: packets that have started at a hop.
    std::int64_t started(const Lone& lone, std::size_t hop) const {
        return starts_[lone.starts + hop];
    }

    void end_turn(std::uint32_t number);

    void release_if_over(std::uint32_t number);

    CreditNetworkState& state_;
    SwitchStep& step_;
    MessageHandlers handlers_;
    LoneProfiles profiles_;
    PortBookings bookings_;
    std::vector<Break> breaks_;  ///< by first port
    Pool<Lone> lones_;
    std::vector<std::uint32_t> befores_;  ///< book(): by hop, the booking in front
    std::vector<std::uint32_t> ports_;    ///< turn(): those that get packets
    std::vector<bool> turning_;           ///< turn(): by port, whether it is one of them
    std::vector<Booking> applied_;        ///< turn(): those of a port
    std::vector<std::uint32_t> turned_;   ///< turn(): messages
    std::vector<std::int64_t> starts_;    ///< turn(): by message and hop
    std::uint32_t left_out_ = 0;          ///< messages that are not computed any more for threads
    bool enabled_ = true;
};

}  // namespace npunet::packet

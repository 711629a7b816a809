// A queue pair: all messages from one NPU to another in one traffic class, in order, or all their
// datagrams. Packets are numbered from 0 over all messages. Both ends are in one structure; the
// members of each are marked.
#pragma once

#include "packet/base/constants.h"
#include "packet/congestion/congestion_control.h"
#include "packet/transport/credit_state.h"
#include "packet/transport/sequence_set.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace npunet::packet {

/// A message on its queue pair, which consists of the packets `first` to `last`.
struct TransportMessage {
    std::uint64_t id = 0;               ///< engine::MessageId
    std::int64_t bytes = 0;             ///< payload
    std::int64_t first_byte_left = -1;  ///< start of its first packet in ps; -1 before
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint32_t pair = none;  ///< number of its queue pair
    std::uint32_t handle = 0;   ///< Message::handle
    std::uint32_t next = none;  ///< the following message, or the next free place
    bool wants_sent = false;
    bool can_be_marked = false;  ///< a datagram that is ECN-capable
    bool marked = false;         ///< a datagram that has arrived with a mark
    bool acknowledged = false;   ///< finished at the source
    bool delivered = false;      ///< finished at the destination
};

/// Selective repeat: what the sender knows of packets that it has sent.
struct SelectiveState {
    SequenceSet received;            ///< beyond those received in order
    SequenceSet lost;                ///< to be sent again
    std::uint64_t first_lost = 0;    ///< lower bound of the numbers in `lost`
    std::uint64_t losses = 0;        ///< size of `lost`
    std::uint64_t highest = 0;       ///< one past the highest received
    std::uint64_t judged = 0;        ///< packets below have been checked for loss
    std::uint64_t recovery_end = 0;  ///< losses below belong to one already signalled

    /// Whether the packet, which was sent, is neither known to be received nor lost.
    bool is_in_flight(std::uint64_t sequence) const {
        return !received.contains(sequence) && !lost.contains(sequence);
    }
};

/// Totals of a queue pair.
struct QueuePairUse {
    std::int64_t started = -1;   ///< when its first message was sent, in ps; -1: none was
    std::int64_t ended = -1;     ///< when its latest message was delivered, in ps; -1: none was
    std::int64_t delivered = 0;  ///< payload bytes
    std::int64_t messages = 0;   ///< delivered
    std::int64_t packets = 0;    ///< data packets sent, retransmissions included
    std::int64_t repeated = 0;   ///< retransmissions
    std::int64_t timeouts = 0;   ///< retransmission timers that expired
    std::int64_t marked = 0;     ///< data packets that arrived marked (ECN)
    std::int64_t notified = 0;   ///< notifications (CNPs) sent to the source

    /// Merges the totals known in another partition: each figure is counted at one end of the queue
    /// pair only, and the ends may be in different partitions.
    void join(const QueuePairUse& other) {
        for (std::int64_t QueuePairUse::*figure :
             {&QueuePairUse::started, &QueuePairUse::ended, &QueuePairUse::delivered,
              &QueuePairUse::messages, &QueuePairUse::packets, &QueuePairUse::repeated,
              &QueuePairUse::timeouts, &QueuePairUse::marked, &QueuePairUse::notified}) {
            this->*figure = std::max(this->*figure, other.*figure);
        }
    }
};

struct QueuePair {
    /// Where the next packet waits.
    enum class Place : std::uint8_t {
        Nowhere,  ///< in no send queue: there is none, or the window is closed
        Ready,    ///< in the round robin
        Paced     ///< until next_start
    };

    /// What it carries.
    enum class Service : std::uint8_t {
        Messages,   ///< all but those of the others
        Datagrams,  ///< without a transport (PacketNetwork::send_datagram())
        Separate    ///< engine::Message::separate
    };

    /// A number below 2^58. Nodes are below 2^22, classes below 2^6.
    static constexpr std::uint64_t key_of(std::uint32_t source, std::uint32_t destination,
                                          std::uint8_t traffic_class,
                                          Service service = Service::Messages) {
        return std::uint64_t{source} << 30 | std::uint64_t{destination} << 8 |
               std::uint64_t{static_cast<std::uint8_t>(service)} << 6 | traffic_class;
    }

    static constexpr Service service_of(std::uint64_t key) {
        return static_cast<Service>(key >> 6 & 3U);
    }

    static constexpr std::uint32_t source_of(std::uint64_t key) {
        return static_cast<std::uint32_t>(key >> 30);
    }

    static constexpr std::uint32_t destination_of(std::uint64_t key) {
        return static_cast<std::uint32_t>(key >> 8) & 0x3fffffU;
    }

    static constexpr std::uint8_t class_of(std::uint64_t key) {
        return static_cast<std::uint8_t>(key & 0x3fU);
    }

    /// Whether a packet waits to be sent, whether or not the window is open.
    bool has_more() const { return next != end || (selective != nullptr && selective->losses > 0); }

    /// Packets never sent so far.
    std::int64_t unsent() const { return static_cast<std::int64_t>(end - top); }

    /// Whether any message is in progress.
    bool is_in_flight() const { return acknowledged != end || expected != end; }

    /// Whether all is sent and received, nothing was lost or marked that still has an effect, and
    /// congestion control has no past.
    bool only_waits_for_answers() const {
        const bool nothing_lost = backoff == 0 && !asked_back &&
                                  (selective == nullptr ||
                                   (selective->losses == 0 && selective->highest <= acknowledged &&
                                    selective->recovery_end <= acknowledged));
        return next == end && expected == end && place == Place::Nowhere && nothing_lost &&
               marked_bytes == 0 && last_notified < 0 && credit == nullptr &&
               (control == nullptr || control->has_no_past());
    }

    /// Whether it fares from `now` on, in picoseconds, as a new one does.
    bool has_no_past(std::int64_t now) const {
        return only_waits_for_answers() && acknowledged == end && in_flight == 0 &&
               unanswered == 0 && next_start <= now && last_end <= now && deadline == never;
    }

    /// Receiver credits: grants that the sender needs for all packets that wait to be sent.
    std::int64_t grants_needed() const {
        const std::uint64_t lost = selective ? selective->losses : 0;
        const auto backlog = static_cast<std::int64_t>(end - next + lost);
        return std::max<std::int64_t>(backlog - credit->balance, 0);
    }

    std::uint64_t key = 0;          ///< key_of() its source, destination and class
    std::uint32_t source = 0;       ///< an NPU
    std::uint32_t destination = 0;  ///< another NPU
    std::uint32_t port = 0;         ///< link by which its next packet starts
    std::uint32_t forth = 0;        ///< index of the first hop of its route, if fixed
    std::uint32_t back = 0;         ///< index of the first hop of the route of answers, if fixed
    std::uint8_t traffic_class = 0;
    bool datagrams = false;  ///< Service::Datagrams
    Place place = Place::Nowhere;
    std::uint32_t next_ready = none;  ///< next queue pair in the round robin

    // The sender.
    std::uint64_t next = 0;              ///< number of the next packet to send
    std::uint64_t top = 0;               ///< one past the highest ever sent
    std::uint64_t end = 0;               ///< one past the last packet of its messages
    std::uint64_t acknowledged = 0;      ///< packets below are known to be received
    std::uint64_t asked = 0;             ///< packets below may have requested an acknowledgement
    std::int64_t in_flight = 0;          ///< bytes sent and neither acknowledged nor lost
    std::int64_t window = 0;             ///< limit of in_flight, set by the transport
    std::int64_t next_start = 0;         ///< no packet starts before, in ps
    std::int64_t timeout = 0;            ///< ps without progress before packets are sent again
    std::int64_t deadline = never;       ///< when the timeout expires, in ps
    std::int64_t timer = never;          ///< time of the pending timer event, in ps
    std::int64_t last_end = 0;           ///< latest end of a packet on its first link, in ps
    std::uint64_t transmissions = 0;     ///< data packets sent; numbers the random draws for routes
    std::uint32_t sending = none;        ///< message of packet `next`, if there is one
    std::uint32_t acknowledging = none;  ///< message of packet `acknowledged`
    std::uint32_t newest = none;         ///< its last message, while in the table
    std::uint32_t backoff = 0;           ///< timeouts since the last progress
    std::uint32_t starts = 0;            ///< postponed starts; numbers the random draws for them

    // The receiver.
    std::uint64_t expected = 0;       ///< packets below are received
    std::int64_t last_notified = -1;  ///< when the last notification was sent, in ps; -1: never
    std::uint32_t delivering = none;  ///< message of packet `expected`
    std::uint32_t unanswered = 0;     ///< packets in order since the last answer
    std::uint32_t marked_bytes = 0;   ///< that arrived marked since the last answer
    std::uint64_t answers = 0;        ///< numbers the random draws for routes of answers
    bool asked_back = false;          ///< the expected packet has been requested (go-back-N)
    SequenceSet early;                ///< packets received beyond the expected one

    std::unique_ptr<CongestionControl> control;  ///< null: none
    std::unique_ptr<CreditState> credit;         ///< receiver credits only
    std::uint32_t last_link = 0;  ///< by which its data arrives; receiver credits only
    std::unique_ptr<SelectiveState> selective;  ///< selective repeat only
    QueuePairUse use;
};

static_assert(sizeof(QueuePair) <= 512, "queue pairs are meant to be small");

}  // namespace npunet::packet

#pragma once

#include "packet/base/credit_account.h"
#include "packet/base/voq.h"
#include "packet/congestion/congestion_control.h"
#include "packet/transport/credit_state.h"
#include "packet/transport/sequence_set.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace npunet::packet {

/// What a sender that repeats single packets knows of those that are under way.
struct SelectiveState {
    SequenceSet received;            ///< packets the receiver has, beyond those it has in order
    SequenceSet lost;                ///< packets to be sent again
    std::uint64_t first_lost = 0;    ///< none of them is below
    std::uint64_t losses = 0;        ///< how many there are
    std::uint64_t highest = 0;       ///< one past the highest that the receiver has
    std::uint64_t judged = 0;        ///< packets below have been looked at for loss
    std::uint64_t recovery_end = 0;  ///< losses below belong to the loss that is being repaired
};

/// What a queue pair has done so far.
struct QueuePairUse {
    std::int64_t started = -1;   ///< when its first message was sent, in ps; -1: none was
    std::int64_t ended = -1;     ///< when its last message was delivered so far, in ps
    std::int64_t delivered = 0;  ///< payload bytes
    std::int64_t messages = 0;   ///< delivered
    std::int64_t packets = 0;    ///< data packets sent, each time that they were
    std::int64_t repeated = 0;   ///< of them those that were sent again
    std::int64_t timeouts = 0;   ///< retransmission timers that ran out
    std::int64_t marked = 0;     ///< data packets that came marked
    std::int64_t notified = 0;   ///< notifications (CNPs) that the source was sent

    /// Each figure is known at one end of the queue pair, and these may be in different parts of a
    /// split network.
    /// @param other what is known in another part
    void join(const QueuePairUse& other) {
        for (std::int64_t QueuePairUse::*figure :
             {&QueuePairUse::started, &QueuePairUse::ended, &QueuePairUse::delivered,
              &QueuePairUse::messages, &QueuePairUse::packets, &QueuePairUse::repeated,
              &QueuePairUse::timeouts, &QueuePairUse::marked, &QueuePairUse::notified}) {
            this->*figure = std::max(this->*figure, other.*figure);
        }
    }
};

/// A queue pair: all messages from one NPU to another in one traffic class, in order. Packets are
/// numbered from 0 over all messages.
struct QueuePair {
    /// Where its next packet stands.
    enum class Place : std::uint8_t {
        Nowhere,  ///< there is none, or its window is closed
        Ready,    ///< in the line of those that take turns
        Paced     ///< it waits for its time
    };

    /// @param source an NPU; nodes are below 2^22
    /// @param destination another NPU
    /// @param traffic_class a class
    /// @return all of them as one number, below 2^58
    static constexpr std::uint64_t key_of(std::uint32_t source, std::uint32_t destination,
                                          std::uint8_t traffic_class) {
        return (std::uint64_t{source} << 30 | std::uint64_t{destination} << 8) | traffic_class;
    }

    /// @param key of a queue pair
    /// @return its source
    static constexpr std::uint32_t source_of(std::uint64_t key) {
        return static_cast<std::uint32_t>(key >> 30);
    }

    /// @param key of a queue pair
    /// @return its destination
    static constexpr std::uint32_t destination_of(std::uint64_t key) {
        return static_cast<std::uint32_t>(key >> 8) & 0x3fffffU;
    }

    /// @return whether it has a packet to send, whether it may or not
    bool has_more() const { return next != end || (selective != nullptr && selective->losses > 0); }

    /// @return packets that it has not sent yet
    std::int64_t unsent() const { return static_cast<std::int64_t>(end - top); }

    /// @return whether any message is under way on it
    bool is_in_flight() const { return acknowledged != end || expected != end; }

    /// Credits of the receiver.
    /// @return grants that its sender needs for all that it has to send
    std::int64_t grants_needed() const {
        const std::uint64_t lost = selective ? selective->losses : 0;
        const auto backlog = static_cast<std::int64_t>(end - next + lost);
        return std::max<std::int64_t>(backlog - credit->balance, 0);
    }

    std::uint64_t key = 0;            ///< key_of() its source, destination and class
    std::uint32_t source = 0;         ///< an NPU
    std::uint32_t destination = 0;    ///< another NPU
    std::uint32_t port = 0;           ///< link by which its next packet starts
    std::uint32_t forth = 0;          ///< index of the first hop of its route
    std::uint32_t back = 0;           ///< index of the first hop of the route of answers
    std::uint8_t traffic_class = 0;   ///< of its data
    Place place = Place::Nowhere;     ///< of its next packet
    std::uint32_t next_ready = none;  ///< behind it in the line of those that take turns

    // The sender.
    std::uint64_t next = 0;              ///< number of the packet that is sent next
    std::uint64_t top = 0;               ///< one past the highest that was ever sent
    std::uint64_t end = 0;               ///< one past the last packet of its messages
    std::uint64_t acknowledged = 0;      ///< packets below are in, as far as is known
    std::uint64_t asked = 0;             ///< packets below may have asked for an answer
    std::int64_t in_flight = 0;          ///< bytes sent and neither acknowledged nor lost
    std::int64_t window = 0;             ///< most of them, but for congestion control
    std::int64_t next_start = 0;         ///< no packet starts before, in ps
    std::int64_t timeout = 0;            ///< ps without progress after which it sends again
    std::int64_t deadline = never;       ///< when that is, in ps
    std::int64_t timer = never;          ///< time of the pending event for it
    std::int64_t last_end = 0;           ///< latest end of a packet on its first link, in ps
    std::uint64_t transmissions = 0;     ///< packets sent so far, numbers what is drawn for ways
    std::uint32_t sending = none;        ///< message of the packet `next`, if it is there
    std::uint32_t acknowledging = none;  ///< message of the packet `acknowledged`
    std::uint32_t newest = none;         ///< its last message, while that is known
    std::uint32_t backoff = 0;           ///< timeouts since the last progress
    std::uint32_t starts = 0;            ///< how often it was put off, numbers what is drawn for it

    // The receiver.
    std::uint64_t expected = 0;       ///< packets below are in
    std::int64_t last_notified = -1;  ///< when it last sent a notification, in ps; -1: never
    std::uint32_t delivering = none;  ///< message of the packet `expected`
    std::uint32_t unanswered = 0;     ///< packets in order since the last answer
    std::uint32_t marked_bytes = 0;   ///< that came marked since the last answer
    std::uint64_t answers = 0;        ///< sent so far, numbers what is drawn for ways
    bool asked_back = false;          ///< it has asked for the expected packet
    SequenceSet early;                ///< packets beyond the expected one that are in

    std::unique_ptr<CongestionControl> control;  ///< null: none
    std::unique_ptr<CreditState> credit;         ///< of receiver credits only
    std::uint32_t last_link = 0;                 ///< by which its data comes, of receiver credits
    std::unique_ptr<SelectiveState> selective;   ///< of selective repeat only
    QueuePairUse use;                            ///< what it has done
};

static_assert(sizeof(QueuePair) <= 512, "queue pairs are meant to be small");

}  // namespace npunet::packet

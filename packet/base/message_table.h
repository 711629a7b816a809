#pragma once

#include "packet/base/voq.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// A message between send() and its delivery.
struct MessageRecord {
    std::uint64_t id = 0;               ///< engine::MessageId
    std::int64_t start = 0;             ///< when it was sent, in picoseconds
    std::int64_t bytes = 0;             ///< payload
    std::int64_t remaining = 0;         ///< payload bytes not yet put on the first link
    std::int64_t first_byte_left = -1;  ///< start of its first packet in picoseconds; -1 before
    std::uint32_t handle = 0;           ///< the sender's number
    std::uint32_t hop = 0;              ///< index of its first planned hop
    std::uint32_t previous = none;      ///< in its turn list
    std::uint32_t next = none;          ///< in its turn list, or in the list of free places
    bool wants_sent = false;            ///< whether on_sent() is wanted
};

/// The messages that leave one node by one port on one virtual channel, in the order of their start
/// (of their id where they start together). They take turns packet by packet: after a packet of one
/// message comes one of the message that started next after it, and the earliest follows the
/// latest.
struct RoundRobinList {
    std::uint32_t first = none;   ///< earliest start
    std::uint32_t last = none;    ///< latest start
    std::uint32_t served = none;  ///< the next turn is that of the message after this; none: first
    /// Start and id of the message that was served last, whether it is still in the list or not.
    std::int64_t served_start = -1;
    std::uint64_t served_id = 0;  ///< see servedStart
};

/// All messages under way, and the operations on turn lists.
class MessageTable {
public:
    /// @return a place for a message, with the values of a new MessageRecord
    std::uint32_t take();

    /// @param place of a message that is delivered
    void free(std::uint32_t place);

    /// @param place as take() gave it
    /// @return the message
    MessageRecord& operator[](std::uint32_t place) { return messages_[place]; }

    /// @return how many messages have a place
    std::size_t in_flight() const { return in_flight_; }

    /// Puts a message into a list, behind all that started before it.
    /// @param list the list
    /// @param place of the message
    void append(RoundRobinList& list, std::uint32_t place);

    /// @param list the list
    /// @return the message whose turn it is; none when the list is empty
    std::uint32_t turn(const RoundRobinList& list) const {
        const std::uint32_t after = list.served == none ? none : messages_[list.served].next;
        return after == none ? list.first : after;
    }

    /// A packet of a message has started, and the message stays in its list.
    /// @param list the list
    /// @param place of the message, whose turn it was
    void serve(RoundRobinList& list, std::uint32_t place);

    /// Takes a message out of its list when its last packet there has started; the turn goes on to
    /// the message behind it.
    /// @param list the list
    /// @param place of the message, whose turn it was
    void remove(RoundRobinList& list, std::uint32_t place);

    /// Takes a message out of its list at any time.
    /// @param list the list
    /// @param place of the message
    void withdraw(RoundRobinList& list, std::uint32_t place);

private:
    std::vector<MessageRecord> messages_;  ///< places, used and free
    std::uint32_t free_ = none;            ///< first free place
    std::size_t in_flight_ = 0;            ///< places that are not free
};

}  // namespace npunet::packet

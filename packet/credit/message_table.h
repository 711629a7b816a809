// All messages in flight, and the round robin among those that leave a node by one port.
//
// A RoundRobinList holds the messages that leave one node by one port on one virtual channel, in
// the order of their start (of their id if they start together). They are served packet by packet:
// after a packet of one message comes one of the next message in the list, and after the last the
// first. The messages of a flow that follow each other have one place: after a packet of one of
// them, the next one waits until the others have been served.
//
//     const std::uint32_t place = table.take();
//     table.append(list, place);
//     const std::uint32_t next = table.next(list);
//     table.serve(list, next);
#pragma once

#include "base/pool.h"
#include "packet/base/constants.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

/// A message between send() and its delivery. Times in picoseconds.
struct MessageRecord {
    std::uint64_t id = 0;               ///< engine::MessageId
    std::int64_t start = 0;             ///< when it was sent
    std::int64_t turn = 0;              ///< its place in a round robin: start, or that of its flow
    std::int64_t bytes = 0;             ///< payload
    std::int64_t remaining = 0;         ///< payload bytes not yet put on the first link
    std::int64_t first_byte_left = -1;  ///< start of its first packet; -1 before
    std::uint32_t handle = 0;           ///< engine::Message::handle
    std::uint32_t hop = 0;              ///< index of its first hop in the RoutePlan
    std::uint32_t previous = none;      ///< in its round robin
    std::uint32_t next = none;          ///< in its round robin, or in the list of free places
    bool wants_sent = false;            ///< on_sent() is wanted
    bool continues = false;             ///< its flow has sent before: it waits for the next round
};

/// The order of the messages of one port and virtual channel, and the position of the round robin.
struct RoundRobinList {
    std::uint32_t first = none;   ///< earliest start
    std::uint32_t last = none;    ///< latest start
    std::uint32_t served = none;  ///< the message after this one is next; none: the first is
    /// Turn and id of the message that was served last, even if it has left the list.
    std::int64_t served_turn = -1;
    std::uint64_t served_id = 0;
};

class MessageTable {
public:
    /// The place of a default-constructed record.
    std::uint32_t take() {
        ++in_flight_;
        return messages_.take();
    }

    void free(std::uint32_t place) {
        --in_flight_;
        messages_.free(place);
    }

    MessageRecord& operator[](std::uint32_t place) { return messages_[place]; }

    std::size_t in_flight() const { return in_flight_; }

    /// Inserts a message behind all that started before it.
    void append(RoundRobinList& list, std::uint32_t place);

    /// The message to be served next; none if the list is empty.
    std::uint32_t next(const RoundRobinList& list) const {
        const std::uint32_t after = list.served == none ? none : messages_[list.served].next;
        return after == none ? list.first : after;
    }

    /// A packet of the message returned by next() has started, and the message stays in its list.
    void serve(RoundRobinList& list, std::uint32_t place);

    /// The last packet of the message returned by next() has started: takes it out of its list; the
    /// message behind it is next.
    void remove(RoundRobinList& list, std::uint32_t place);

    /// Takes a message out of its list at any time.
    void withdraw(RoundRobinList& list, std::uint32_t place);

private:
    Pool<MessageRecord> messages_;
    std::size_t in_flight_ = 0;
};

}  // namespace npunet::packet

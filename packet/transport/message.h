#pragma once

#include "packet/base/voq.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// A message on its queue pair: the packets `first` to `last` of it.
struct TransportMessage {
    std::uint64_t id = 0;               ///< engine::MessageId
    std::int64_t bytes = 0;             ///< payload
    std::int64_t first_byte_left = -1;  ///< start of its first packet in ps; -1 before
    std::uint64_t first = 0;            ///< number of its first packet
    std::uint64_t last = 0;             ///< number of its last packet
    std::uint32_t pair = none;          ///< number of its queue pair
    std::uint32_t handle = 0;           ///< the sender's number
    std::uint32_t next = none;          ///< the message behind it, or the next free place
    bool wants_sent = false;            ///< whether on_sent() is wanted
    bool acknowledged = false;          ///< the source is done with it
    bool delivered = false;             ///< the destination is done with it
};

/// The messages of all queue pairs. The freed place is the next one used.
class QueuedMessages {
public:
    /// @return a place with a message as new
    std::uint32_t take() {
        if (free_ == none) {
            messages_.emplace_back();
            return static_cast<std::uint32_t>(messages_.size() - 1);
        }
        const std::uint32_t place = free_;
        free_ = messages_[place].next;
        messages_[place] = TransportMessage();
        return place;
    }

    /// @param place of a message that is done
    void free(std::uint32_t place) {
        messages_[place].next = free_;
        free_ = place;
    }

    /// @param place as take() gave it
    /// @return the message
    TransportMessage& operator[](std::uint32_t place) { return messages_[place]; }

    /// @copydoc operator[]
    const TransportMessage& operator[](std::uint32_t place) const { return messages_[place]; }

    /// @param place of a message
    /// @param sequence number of a packet of it, or of one that comes behind it
    /// @return place of the message of that packet
    std::uint32_t find(std::uint32_t place, std::uint64_t sequence) const {
        while (messages_[place].last < sequence) {
            place = messages_[place].next;
        }
        return place;
    }

private:
    std::vector<TransportMessage> messages_;  ///< places, used and free
    std::uint32_t free_ = none;               ///< first free place
};

}  // namespace npunet::packet

// Messages of queue pairs, and the table that holds them. A freed place is the next one used.
#pragma once

#include "packet/base/constants.h"

#include <cstdint>
#include <vector>

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
    bool acknowledged = false;  ///< finished at the source
    bool delivered = false;     ///< finished at the destination
};

class QueuedMessages {
public:
    /// Returns the place of a default-constructed message.
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

    void free(std::uint32_t place) {
        messages_[place].next = free_;
        free_ = place;
    }

    TransportMessage& operator[](std::uint32_t place) { return messages_[place]; }
    const TransportMessage& operator[](std::uint32_t place) const { return messages_[place]; }

    /// Place of the message that contains packet `sequence`, searched from `place` on. The packet
    /// must not be before that message.
    std::uint32_t find(std::uint32_t place, std::uint64_t sequence) const {
        while (messages_[place].last < sequence) {
            place = messages_[place].next;
        }
        return place;
    }

private:
    std::vector<TransportMessage> messages_;
    std::uint32_t free_ = none;
};

}  // namespace npunet::packet

// What crosses the partition boundaries of a credit network that is split (packets and
// credits), and what each partition records: the messages with something in it, and the packets
// about to enter it.
//
// Times in picoseconds. A place is the index of a message in the partition's MessageTable.
#pragma once

#include "base/pool.h"
#include "packet/base/constants.h"
#include "packet/credit/credit_path.h"
#include "packet/partition/partition.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace npunet::packet {

/// A packet on a link between two partitions.
struct BoundaryPacket {
    static constexpr std::uint8_t frame = 1;  ///< kind of its boundary frames

    BoundaryMessage message;
    std::int64_t number = 0;     ///< of the packet on the link
    std::int64_t arrival = 0;    ///< Crossing::arrival
    std::int64_t header_in = 0;  ///< Crossing::header_in
    std::int64_t born = 0;       ///< when it left its source; oldest first only
    std::uint32_t link = 0;
    std::uint32_t hop = 0;      ///< position of the link on its route; one path only
    std::uint32_t payload = 0;  ///< bytes
    bool last = false;          ///< it is the last one of its message
    CreditPath path;            ///< multi-path routing only
};

/// Credit on its way back over a link between two partitions.
struct BoundaryCredit {
    static constexpr std::uint8_t frame = 2;  ///< kind of its boundary frames

    std::int64_t stamp = 0;  ///< when it counts
    std::uint32_t link = 0;  ///< the link that the credit is for
    std::uint32_t channel = 0;
    std::uint32_t wire = 0;  ///< bytes
};

/// A message has a place while something here holds it: its source, as long as it has packets to
/// send; its destination, until it is delivered; every packet that is here.
class CreditPartition : public Partition {
public:
    using Partition::Partition;

    /// The place of the message, or none.
    std::uint32_t find(std::uint64_t id) const {
        const auto found = places_.find(id);
        return found == places_.end() ? none : found->second;
    }

    /// A message has got a place. Its destination, if here, holds it.
    void open(std::uint32_t place, const BoundaryMessage& message) {
        at_place(messages_, place) = {message, owns(message.destination) ? 1U : 0U};
        places_[message.id] = place;
    }

    BoundaryMessage& operator[](std::uint32_t place) { return messages_[place].message; }

    /// One more holder.
    void hold(std::uint32_t place) { ++messages_[place].holds; }

    /// One holder less. True if that was the last one: the place must then be freed.
    bool release(std::uint32_t place) {
        if (--messages_[place].holds > 0) {
            return false;
        }
        places_.erase(messages_[place].message.id);
        return true;
    }

    /// Stores a packet about to enter; returns its number.
    std::uint32_t keep(const BoundaryPacket& packet) {
        if (free_.empty()) {
            entering_.push_back(packet);
            return static_cast<std::uint32_t>(entering_.size() - 1);
        }
        const std::uint32_t number = free_.back();
        free_.pop_back();
        entering_[number] = packet;
        return number;
    }

    /// Removes and returns the packet.
    BoundaryPacket take(std::uint32_t number) {
        free_.push_back(number);
        return entering_[number];
    }

private:
    struct Message {
        BoundaryMessage message;
        std::uint32_t holds = 0;  ///< number of holders
    };

    std::vector<Message> messages_;  ///< by place
    /// Places by id; never iterated over.
    std::unordered_map<std::uint64_t, std::uint32_t> places_;
    std::vector<BoundaryPacket> entering_;  ///< packets about to enter
    std::vector<std::uint32_t> free_;       ///< unused numbers of these
};

}  // namespace npunet::packet

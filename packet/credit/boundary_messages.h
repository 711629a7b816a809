#pragma once

#include "packet/base/voq.h"
#include "packet/partition/partition.h"
#include "packet/routing/packet_path.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace npunet::packet {

/// A packet on a link from one part of a split network to another. Times in picoseconds.
struct BoundaryPacket {
    static constexpr std::uint8_t frame = 1;  ///< kind of its frames

    BoundaryMessage message;     ///< that it belongs to
    std::int64_t number = 0;     ///< of the packet on the link
    std::int64_t arrival = 0;    ///< Crossing::arrival
    std::int64_t header_in = 0;  ///< Crossing::headerIn
    std::int64_t born = 0;       ///< when it left its source; with oldest first only
    std::uint32_t link = 0;      ///< number of the link
    std::uint32_t hop = 0;       ///< which one of its route the link is; one path only
    std::uint32_t payload = 0;   ///< bytes of the message in it
    bool last = false;           ///< whether it is the last of its message
    PacketPath path;             ///< multi-path routing only
};

/// Credit on its way back over a link from one part of a split network to another.
struct BoundaryCredit {
    static constexpr std::uint8_t frame = 2;  ///< kind of its frames

    std::int64_t stamp = 0;     ///< when it counts, in picoseconds
    std::uint32_t link = 0;     ///< number of the link for which it is
    std::uint32_t channel = 0;  ///< its virtual channel
    std::uint32_t wire = 0;     ///< bytes
};

/// What a machine keeps that moves only a part of a network's packets: the messages of which
/// something is here, and the packets that are about to enter.
///
/// A message has a place in this part's MessageTable while something holds it: its source, as long
/// as it has packets to send; its destination, until it is delivered; every packet that is here.
class CreditPartition : public Partition {
public:
    using Partition::Partition;

    /// @param id of a message
    /// @return its place, or none
    std::uint32_t find(std::uint64_t id) const {
        const auto found = places_.find(id);
        return found == places_.end() ? none : found->second;
    }

    /// A message has got a place. Where it is delivered here, that holds it.
    /// @param place in the table
    /// @param message the message
    void open(std::uint32_t place, const BoundaryMessage& message) {
        if (place >= messages_.size()) {
            messages_.resize(place + 1);
        }
        messages_[place] = {message, owns(message.destination) ? 1U : 0U};
        places_[message.id] = place;
    }

    /// @param place of a message
    /// @return what is known of it
    BoundaryMessage& operator[](std::uint32_t place) { return messages_[place].message; }

    /// Something more holds a message.
    /// @param place of the message
    void hold(std::uint32_t place) { ++messages_[place].holds; }

    /// Something does not hold a message any more.
    /// @param place of the message
    /// @return whether nothing does, so that it has to give its place back
    bool release(std::uint32_t place) {
        if (--messages_[place].holds > 0) {
            return false;
        }
        places_.erase(messages_[place].message.id);
        return true;
    }

    /// @param packet that is about to enter
    /// @return a number for it
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

    /// @param number that keep() gave
    /// @return the packet, which is not kept any more
    BoundaryPacket take(std::uint32_t number) {
        free_.push_back(number);
        return entering_[number];
    }

private:
    /// A message of which something is here.
    struct Message {
        BoundaryMessage message;  ///< what is known of it
        std::uint32_t holds = 0;  ///< how many things hold it
    };

    std::vector<Message> messages_;  ///< by place
    /// Places by id; never iterated over.
    std::unordered_map<std::uint64_t, std::uint32_t> places_;
    std::vector<BoundaryPacket> entering_;  ///< packets about to enter
    std::vector<std::uint32_t> free_;       ///< unused numbers of these
};

}  // namespace npunet::packet

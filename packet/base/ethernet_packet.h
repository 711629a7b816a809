#pragma once

#include "packet/base/voq.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// What a packet of a network with Ethernet-like switches is.
enum class PacketKind : std::uint8_t {
    Data,             ///< a part of a message
    Acknowledgement,  ///< of the receiver, for all before a sequence number, and perhaps one more
    GoBack,           ///< of the receiver: it expects that sequence number, a later one came
    Trimmed,          ///< of the receiver: the payload of one packet was cut off on its way
    Notification,     ///< of the receiver: data came marked (CNP)
    Request,          ///< of the sender: so many bytes wait for credit
    Grant,            ///< of the receiver: credit
    Pause,            ///< between neighbors: send no more of a class
    Resume            ///< between neighbors: go on with a class
};

/// A packet under way on a network with Ethernet-like switches, of whatever kind.
struct EthernetPacket {
    EthernetPacket() : trimmed(false), repeated(false), asks(false) {}

    std::int64_t ready = 0;      ///< in a queue: may leave from then on; on a link: is in; in ps
    std::int64_t arrival = 0;    ///< when all of it is in, where it is or goes to; in ps
    std::int64_t sent_at = 0;    ///< when the data left its source; answers repeat it; in ps
    std::uint64_t sequence = 0;  ///< data: its own number; answers: the number that is expected
    /// Answers: number of the packet that caused it; GRANT: its own; data, REQUEST: grants that the
    /// sender has had, or, where nobody acknowledges, the message of which data is the end.
    std::uint64_t subject = 0;
    std::uint32_t pair = none;       ///< its queue pair
    std::uint32_t next = none;       ///< the packet behind it
    std::uint32_t hop = 0;           ///< index of its link in the routes
    std::uint32_t wire = 0;          ///< bytes, with header and telemetry
    std::uint32_t payload = 0;       ///< bytes of the message in it
    std::uint32_t input = none;      ///< link by which it came; none where it starts
    std::uint32_t marked = 0;        ///< answers: bytes that came marked; data: 1 if it is
    std::uint32_t backlog = 0;       ///< data, REQUEST: grants that the sender needs
    std::uint32_t telemetry = none;  ///< what ports have written into it
    PacketKind kind = PacketKind::Data;
    std::uint8_t traffic_class = 0;  ///< of data, and of what PAUSE and RESUME are about
    bool trimmed : 1;                ///< data whose payload was cut off
    bool repeated : 1;               ///< data that was sent before; REQUEST after a timeout
    bool asks : 1;                   ///< data that is to be acknowledged at once
};

static_assert(sizeof(EthernetPacket) <= 80, "packets are meant to be small");

/// @param packet a packet
/// @return whether it goes ahead of data, and is neither paused nor counted in buffers
inline bool is_control(const EthernetPacket& packet) {
    return packet.kind != PacketKind::Data || packet.trimmed;
}

/// @param kind of a packet
/// @return whether it goes from one node to the next only
constexpr bool is_request(PacketKind kind) {
    return kind == PacketKind::Pause || kind == PacketKind::Resume;
}

/// @param kind of a packet that is no request to pause or to resume
/// @return whether it goes from the source of its queue pair to the destination, not back
constexpr bool goes_forth(PacketKind kind) {
    return kind == PacketKind::Data || kind == PacketKind::Request;
}

/// All packets under way. The freed place is the next one used, so that a run touches little memory
/// however long it is.
class EthernetPackets {
public:
    /// @return a place with a packet as new
    std::uint32_t take() {
        if (free_ == none) {
            packets_.emplace_back();
            return static_cast<std::uint32_t>(packets_.size() - 1);
        }
        const std::uint32_t place = free_;
        free_ = packets_[place].next;
        packets_[place] = EthernetPacket();
        return place;
    }

    /// @param place of a packet that is gone
    void free(std::uint32_t place) {
        packets_[place].next = free_;
        free_ = place;
    }

    /// @param place as take() gave it
    /// @return the packet
    EthernetPacket& operator[](std::uint32_t place) { return packets_[place]; }

    /// @copydoc operator[]
    const EthernetPacket& operator[](std::uint32_t place) const { return packets_[place]; }

private:
    std::vector<EthernetPacket> packets_;  ///< places, used and free
    std::uint32_t free_ = none;            ///< first free place
};

/// Packets that wait for one another, first in, first out, linked by EthernetPacket::next.
struct PacketQueue {
    std::uint32_t head = none;  ///< first packet
    std::uint32_t tail = none;  ///< last packet, where there is a first

    /// @param packets where they are
    /// @param place of a packet that becomes the last
    void append(EthernetPackets& packets, std::uint32_t place) {
        packets[place].next = none;
        if (head == none) {
            head = place;
        } else {
            packets[tail].next = place;
        }
        tail = place;
    }

    /// @param packets where they are
    /// @param place of a packet that becomes the first
    void prepend(EthernetPackets& packets, std::uint32_t place) {
        packets[place].next = head;
        tail = head == none ? place : tail;
        head = place;
    }

    /// @param packets where they are
    /// @return place of the first packet, of which there is one; it is taken out
    std::uint32_t pop(EthernetPackets& packets) {
        const std::uint32_t place = head;
        head = packets[place].next;
        return place;
    }

    /// @param packets where they are
    /// @param traffic_class of the packet that is looked for
    /// @return whether there is one; the first is gone then
    bool remove(EthernetPackets& packets, std::uint8_t traffic_class) {
        std::uint32_t before = none;
        std::uint32_t place = head;
        while (place != none && packets[place].traffic_class != traffic_class) {
            before = place;
            place = packets[place].next;
        }
        if (place == none) {
            return false;
        }
        (before == none ? head : packets[before].next) = packets[place].next;
        tail = place == tail ? before : tail;
        packets.free(place);
        return true;
    }
};

}  // namespace npunet::packet

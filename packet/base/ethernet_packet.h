// The packets of an Ethernet network: their kinds, their pool and queues of them.
//
//     const std::uint32_t place = packets.take();
//     packets[place].kind = PacketKind::Data;
//     queue.append(packets, place, ready);
//     packets.free(queue.pop(packets));
#pragma once

#include "base/pool.h"
#include "packet/base/constants.h"
#include "packet/base/packet_kind.h"

#include <cstdint>

namespace npunet::packet {

/// A packet in flight, of any kind. Times in picoseconds.
struct EthernetPacket {
    EthernetPacket()
        : trimmed(false), repeated(false), asks(false), datagram(false), can_be_marked(false) {}

    std::int64_t next_ready = never;  ///< PacketQueue: `ready` of the packet behind it
    std::int64_t arrival = 0;         ///< of its last byte, at its node or at the end of its link
    std::int64_t sent_at = 0;         ///< when the data left its source; answers repeat it
    std::uint64_t sequence = 0;       ///< data: its number; answers: the number that is expected
    /// Answers: number of the packet that caused it. Grant: its own number. Data, Request: grants
    /// that the sender has received; without acknowledgements, of the last packet of a message, and
    /// of a datagram: the message.
    std::uint64_t subject = 0;
    std::uint32_t pair = none;       ///< queue pair
    std::uint32_t next = none;       ///< the packet behind it
    std::uint32_t hop = 0;           ///< see EthernetNextHop
    std::uint32_t wire = 0;          ///< bytes, with header and telemetry
    std::uint32_t payload = 0;       ///< bytes
    std::uint32_t input = none;      ///< link by which it came; none at its source
    std::uint32_t marked = 0;        ///< answers: bytes that arrived marked; data: 1 if marked
    std::uint32_t backlog = 0;       ///< data, Request: grants that the sender needs
    std::uint32_t telemetry = none;  ///< place in TelemetryRecords
    PacketKind kind = PacketKind::Data;
    std::uint8_t traffic_class = 0;  ///< of data; Pause, Resume: the class they refer to
    bool trimmed : 1;                ///< data without its payload
    bool repeated : 1;               ///< data: a retransmission; Request: after a timeout
    bool asks : 1;                   ///< data: acknowledge at once (RDMA's AckReq)
    bool datagram : 1;               ///< data: sent once (PacketNetwork::send_datagram())
    bool can_be_marked : 1;          ///< datagram: ECN-capable
};

static_assert(sizeof(EthernetPacket) <= 80, "packets are meant to be small");

/// Control packets precede data, and are neither paused nor counted in buffers.
inline bool is_control(const EthernetPacket& packet) {
    return packet.kind != PacketKind::Data || packet.trimmed;
}

/// PAUSE and RESUME frames, which cross one link only.
constexpr bool is_request(PacketKind kind) {
    return kind == PacketKind::Pause || kind == PacketKind::Resume;
}

/// Whether the packet travels from the source of its queue pair to the destination, not back. Not
/// for PAUSE and RESUME frames.
constexpr bool goes_forth(PacketKind kind) {
    return kind == PacketKind::Data || kind == PacketKind::Request;
}

/// All packets in flight.
using EthernetPackets = Pool<EthernetPacket>;

/// A FIFO of packets, linked by EthernetPacket::next. `ready` of a packet, in ps: when it may
/// leave; on a link: when the next node may process it (cut-through: when its header has arrived).
/// The queue and the packet before know it, so that nothing looks at a packet before its time.
struct PacketQueue {
    std::int64_t first_ready = never;  ///< `ready` of the first; never: the queue is empty
    std::uint32_t head = none;
    std::uint32_t tail = none;  ///< undefined if the queue is empty

    void append(EthernetPackets& packets, std::uint32_t place, std::int64_t ready) {
        EthernetPacket& packet = packets[place];
        packet.next = none;
        packet.next_ready = never;
        if (head == none) {
            head = place;
            first_ready = ready;
        } else {
            EthernetPacket& before = packets[tail];
            before.next = place;
            before.next_ready = ready;
        }
        tail = place;
    }

    void prepend(EthernetPackets& packets, std::uint32_t place, std::int64_t ready) {
        EthernetPacket& packet = packets[place];
        packet.next = head;
        packet.next_ready = first_ready;
        tail = head == none ? place : tail;
        head = place;
        first_ready = ready;
    }

    /// The queue must not be empty.
    std::uint32_t pop(EthernetPackets& packets) {
        const std::uint32_t place = head;
        const EthernetPacket& packet = packets[place];
        head = packet.next;
        first_ready = packet.next_ready;
        return place;
    }

    /// Calls a function with every packet and its `ready`, which it may change, from the first on.
    template <class Function>
    void for_each(EthernetPackets& packets, Function function) {
        std::int64_t* ready = &first_ready;
        for (std::uint32_t place = head; place != none; place = packets[place].next) {
            function(packets[place], *ready);
            ready = &packets[place].next_ready;
        }
    }

    /// Removes and frees the first packet of a class; returns whether there is one.
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
        (before == none ? first_ready : packets[before].next_ready) = packets[place].next_ready;
        tail = place == tail ? before : tail;
        packets.free(place);
        return true;
    }
};

}  // namespace npunet::packet

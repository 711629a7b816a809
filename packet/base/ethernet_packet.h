/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_ETHERNET_PACKET_H
#define NPU_ETHERNET_PACKET_H

#include "packet/base/voq.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/// What a packet of a network with Ethernet-like switches is.
enum class PacketKind : std::uint8_t
{
    DATA,            ///< a part of a message
    ACKNOWLEDGEMENT, ///< of the receiver, for all before a sequence number, and perhaps one more
    GO_BACK,         ///< of the receiver: it expects that sequence number, a later one came
    TRIMMED,         ///< of the receiver: the payload of one packet was cut off on its way
    NOTIFICATION,    ///< of the receiver: data came marked (CNP)
    REQUEST,         ///< of the sender: so many bytes wait for credit
    GRANT,           ///< of the receiver: credit
    PAUSE,           ///< between neighbors: send no more of a class
    RESUME           ///< between neighbors: go on with a class
};

/**
 * @ingroup npunet
 * A packet under way on a network with Ethernet-like switches, of whatever kind.
 */
struct EthernetPacket
{
    EthernetPacket() : trimmed(false), repeated(false), asks(false)
    {
    }

    std::int64_t ready = 0;     ///< in a queue: may leave from then on; on a link: is in; in ps
    std::int64_t arrival = 0;   ///< when all of it is in, where it is or goes to; in ps
    std::int64_t sentAt = 0;    ///< when the data left its source; answers repeat it; in ps
    std::uint64_t sequence = 0; ///< data: its own number; answers: the number that is expected
    /// Answers: number of the packet that caused it; GRANT: its own; data, REQUEST: grants that the
    /// sender has had, or, where nobody acknowledges, the message of which data is the end.
    std::uint64_t subject = 0;
    std::uint32_t pair = NONE;      ///< its queue pair
    std::uint32_t next = NONE;      ///< the packet behind it
    std::uint32_t hop = 0;          ///< index of its link in the routes
    std::uint32_t wire = 0;         ///< bytes, with header and telemetry
    std::uint32_t payload = 0;      ///< bytes of the message in it
    std::uint32_t input = NONE;     ///< link by which it came; NONE where it starts
    std::uint32_t marked = 0;       ///< answers: bytes that came marked; data: 1 if it is
    std::uint32_t backlog = 0;      ///< data, REQUEST: grants that the sender needs
    std::uint32_t telemetry = NONE; ///< what ports have written into it
    PacketKind kind = PacketKind::DATA;
    std::uint8_t trafficClass = 0; ///< of data, and of what PAUSE and RESUME are about
    bool trimmed : 1;              ///< data whose payload was cut off
    bool repeated : 1;             ///< data that was sent before; REQUEST after a timeout
    bool asks : 1;                 ///< data that is to be acknowledged at once
};

static_assert(sizeof(EthernetPacket) <= 80, "packets are meant to be small");

/**
 * @param packet a packet
 * @return whether it goes ahead of data, and is neither paused nor counted in buffers
 */
inline bool
IsControl(const EthernetPacket& packet)
{
    return packet.kind != PacketKind::DATA || packet.trimmed;
}

/**
 * @param kind of a packet
 * @return whether it goes from one node to the next only
 */
constexpr bool
IsRequest(PacketKind kind)
{
    return kind == PacketKind::PAUSE || kind == PacketKind::RESUME;
}

/**
 * @param kind of a packet that is no request to pause or to resume
 * @return whether it goes from the source of its queue pair to the destination, not back
 */
constexpr bool
GoesForth(PacketKind kind)
{
    return kind == PacketKind::DATA || kind == PacketKind::REQUEST;
}

/**
 * @ingroup npunet
 * All packets under way. The freed place is the next one used, so that a run touches little memory
 * however long it is.
 */
class EthernetPackets
{
  public:
    /**
     * @return a place with a packet as new
     */
    std::uint32_t
    Take()
    {
        if (m_free == NONE)
        {
            m_packets.emplace_back();
            return static_cast<std::uint32_t>(m_packets.size() - 1);
        }
        const std::uint32_t place = m_free;
        m_free = m_packets[place].next;
        m_packets[place] = EthernetPacket();
        return place;
    }

    /**
     * @param place of a packet that is gone
     */
    void
    Free(std::uint32_t place)
    {
        m_packets[place].next = m_free;
        m_free = place;
    }

    /**
     * @param place as Take() gave it
     * @return the packet
     */
    EthernetPacket&
    operator[](std::uint32_t place)
    {
        return m_packets[place];
    }

    /// @copydoc operator[]
    const EthernetPacket&
    operator[](std::uint32_t place) const
    {
        return m_packets[place];
    }

  private:
    std::vector<EthernetPacket> m_packets; ///< places, used and free
    std::uint32_t m_free = NONE;           ///< first free place
};

/**
 * @ingroup npunet
 * Packets that wait for one another, first in, first out, linked by EthernetPacket::next.
 */
struct PacketLine
{
    std::uint32_t head = NONE; ///< first packet
    std::uint32_t tail = NONE; ///< last packet, where there is a first

    /**
     * @param packets where they are
     * @param place of a packet that becomes the last
     */
    void
    Append(EthernetPackets& packets, std::uint32_t place)
    {
        packets[place].next = NONE;
        if (head == NONE)
        {
            head = place;
        }
        else
        {
            packets[tail].next = place;
        }
        tail = place;
    }

    /**
     * @param packets where they are
     * @param place of a packet that becomes the first
     */
    void
    Prepend(EthernetPackets& packets, std::uint32_t place)
    {
        packets[place].next = head;
        tail = head == NONE ? place : tail;
        head = place;
    }

    /**
     * @param packets where they are
     * @return place of the first packet, of which there is one; it is taken out
     */
    std::uint32_t
    Pop(EthernetPackets& packets)
    {
        const std::uint32_t place = head;
        head = packets[place].next;
        return place;
    }

    /**
     * @param packets where they are
     * @param trafficClass of the packet that is looked for
     * @return whether there is one; the first is gone then
     */
    bool
    Remove(EthernetPackets& packets, std::uint8_t trafficClass)
    {
        std::uint32_t before = NONE;
        std::uint32_t place = head;
        while (place != NONE && packets[place].trafficClass != trafficClass)
        {
            before = place;
            place = packets[place].next;
        }
        if (place == NONE)
        {
            return false;
        }
        (before == NONE ? head : packets[before].next) = packets[place].next;
        tail = place == tail ? before : tail;
        packets.Free(place);
        return true;
    }
};

} // namespace npunet::packet

#endif /* NPU_ETHERNET_PACKET_H */

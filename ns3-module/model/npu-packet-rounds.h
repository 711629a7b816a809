/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_ROUNDS_H
#define NPU_PACKET_ROUNDS_H

// What the files of the packet machine share and every packet needs: whether a head may go, and the
// way on of a packet that has one path.

#include "npu-packet-machine.h"

namespace npunet::packet
{

inline bool
PacketMachine::CanGo(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now)
{
    const VirtualQueue& queue = m_queues[queueNumber];
    return queue.ready <= now && Credit(portNumber, queue.channel).Has(queue.wire, now) &&
           !(m_reads.AreLimited() && InputRefuses(portNumber, queueNumber, now));
}

inline void
PacketMachine::GoOnByRoute(const PacketPort& from,
                           std::uint32_t place,
                           std::uint32_t wire,
                           const Crossing& crossing)
{
    QueuedPacket& packet = m_packets[place];
    ++packet.hop;
    packet.ready = crossing.arrival;
    if (m_cutThrough)
    {
        const std::int64_t sending = LeastSendingTime(m_plan[packet.hop].port, wire);
        packet.ready = std::max(crossing.headerIn, crossing.arrival - sending);
    }
    const PacketPort& to = m_ports[m_plan[packet.hop].port];
    if (PartNumber(from) != PartNumber(to))
    {
        MailTo(from, to).packets.push_back(place);
        return;
    }
    PushPacket(place);
}

} // namespace npunet::packet

#endif /* NPU_PACKET_ROUNDS_H */

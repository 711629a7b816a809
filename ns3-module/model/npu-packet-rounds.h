/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_ROUNDS_H
#define NPU_PACKET_ROUNDS_H

// What the files of the packet machine share and every packet needs: the round over the non-empty
// queues of a port, and the way on of a packet that has one path.

#include "npu-packet-machine.h"

namespace npunet::packet
{

template <class Function>
inline void
PacketMachine::ForEachQueue(const PacketPort& port, std::uint32_t first, Function function)
{
    const std::uint64_t* masks = &m_masks[port.firstMask];
    const std::uint32_t words = (port.queues + 63) / 64;
    const std::uint32_t firstWord = first / 64;
    const std::uint64_t fromFirst = ~std::uint64_t{0} << (first % 64);
    std::uint32_t word = firstWord;
    std::uint64_t bits = masks[word] & fromFirst;
    for (std::uint32_t round = 0;; ++round)
    {
        for (; bits != 0; bits &= bits - 1)
        {
            const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(bits));
            if (function(port.firstQueue + word * 64 + bit))
            {
                return;
            }
        }
        if (round == words)
        {
            return;
        }
        word = word + 1 == words ? 0 : word + 1;
        bits = round + 1 == words ? masks[word] & ~fromFirst : masks[word];
    }
}

inline bool
PacketMachine::CanGo(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now)
{
    const VirtualQueue& queue = m_queues[queueNumber];
    return queue.ready <= now && Credit(portNumber, queue.channel).Has(queue.wire, now) &&
           !(m_reads.AreLimited() && InputRefuses(portNumber, queueNumber, now));
}

inline void
PacketMachine::GoOnByRoute(std::uint32_t place, std::uint32_t wire, const Crossing& crossing)
{
    QueuedPacket& packet = m_packets[place];
    ++packet.hop;
    packet.ready = crossing.arrival;
    if (m_cutThrough)
    {
        const std::int64_t sending = LeastSendingTime(m_plan[packet.hop].port, wire);
        packet.ready = std::max(crossing.headerIn, crossing.arrival - sending);
    }
    PushPacket(place);
}

} // namespace npunet::packet

#endif /* NPU_PACKET_ROUNDS_H */

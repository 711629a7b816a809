/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_SEND_LINES_H
#define NPU_SEND_LINES_H

#include "packet/transport/queue_pair_table.h"
#include "packet/transport/send_round_robin.h"
#include "packet/transport/send_window.h"
#include "packet/transport/transport_wire.h"

#include "engine/state_scan.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Where queue pairs wait until the port by which they send takes a packet of theirs: a line for
 * each port of an NPU and each traffic class (SendTurns). One whose window has closed when its turn
 * comes, or that has been put off, leaves the line.
 */
class SendLines
{
  public:
    /**
     * @param links of the network
     * @param classes traffic classes
     * @param network below
     * @param fullWire bytes of a full packet on the wire
     * @param window when queue pairs may send; must outlive this
     * @param pairs the queue pairs; must outlive this
     */
    SendLines(std::size_t links,
              std::uint32_t classes,
              const TransportNetwork& network,
              std::int64_t fullWire,
              const SendWindow& window,
              PairTable& pairs)
        : m_classes(classes), m_network(network), m_fullWire(fullWire), m_window(window),
          m_pairs(pairs), m_turns(links * classes)
    {
    }

    /**
     * @param number of a queue pair whose next packet stands nowhere, though it may be sent
     */
    void Join(std::uint32_t number);

    /**
     * @param port number of a port of an NPU
     * @param trafficClass a class
     * @param now in picoseconds
     * @return whether a packet that starts here may be sent
     */
    bool
    HasPacket(std::uint32_t port, std::uint32_t trafficClass, std::int64_t now)
    {
        SendTurns& turns = m_turns[port * m_classes + trafficClass];
        turns.JoinThoseDue(m_pairs.All(), now);
        while (turns.First() != NONE && !MaySend(m_pairs[turns.First()], now))
        {
            const std::uint32_t number = turns.First();
            turns.Leave(m_pairs.All());
            if (m_window.MaySend(m_pairs[number]))
            {
                turns.Wait(m_pairs.All(), number);
            }
        }
        return turns.First() != NONE;
    }

    /**
     * @param port for which HasPacket() holds
     * @param trafficClass for which it holds
     * @return number of the queue pair whose turn it is; it stands nowhere from now on
     */
    std::uint32_t
    TakeFirst(std::uint32_t port, std::uint32_t trafficClass)
    {
        SendTurns& turns = m_turns[port * m_classes + trafficClass];
        const std::uint32_t number = turns.First();
        turns.Leave(m_pairs.All());
        return number;
    }

    /**
     * @param port number of a port of an NPU
     * @param trafficClass a class
     * @return when the next of those whose time has not come yet may be sent, or NEVER
     */
    std::int64_t
    NextTime(std::uint32_t port, std::uint32_t trafficClass) const
    {
        return m_turns[port * m_classes + trafficClass].NextTime();
    }

    /**
     * @param port number of a port of an NPU
     * @param trafficClass a class
     * @return whether a queue pair waits to send by it, now or later
     */
    bool
    AnyWaits(std::uint32_t port, std::uint32_t trafficClass) const
    {
        const SendTurns& turns = m_turns[port * m_classes + trafficClass];
        return turns.First() != NONE || turns.NextTime() != NEVER;
    }

    /**
     * All queue pairs leave their lines.
     * @return their numbers, in the order of the lines
     */
    std::vector<std::uint32_t> Empty();

    /**
     * @param scan of the whole network
     * @param port number of a port of an NPU
     */
    void Scan(engine::StateScan& scan, std::uint32_t port);

  private:
    /**
     * @param pair a queue pair in its line
     * @param now in picoseconds
     * @return whether it may still send: its window may have closed meanwhile, or it was put off
     */
    bool
    MaySend(const QueuePair& pair, std::int64_t now) const
    {
        return pair.nextStart <= now && m_window.MaySend(pair);
    }

    std::uint32_t m_classes;        ///< traffic classes
    TransportNetwork m_network;     ///< below
    std::int64_t m_fullWire;        ///< bytes of a full packet on the wire
    const SendWindow& m_window;     ///< when queue pairs may send
    PairTable& m_pairs;             ///< the queue pairs
    std::vector<SendTurns> m_turns; ///< by port and class
};

} // namespace npunet::packet

#endif /* NPU_SEND_LINES_H */

/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_SEND_WINDOW_H
#define NPU_SEND_WINDOW_H

#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair.h"

#include "topology/network_description.h"

#include <algorithm>
#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * When a queue pair may send a packet: when nothing is in flight, or when what is in flight and a
 * full packet are within its window, that of the transport and that of congestion control, or when
 * nothing in flight makes the receiver answer; and if it has credit, where it needs that.
 */
class SendWindow
{
  public:
    /**
     * @param transport its parameters
     * @param sizes of packets
     */
    SendWindow(const topology::TransportParameters& transport, const PacketSizes& sizes)
        : m_isLimited(transport.kind != topology::TransportKind::None), m_full(sizes.Full()),
          m_answered(transport.ack_every * m_full)
    {
    }

    /**
     * @param pair a queue pair
     * @return whether it has a packet, and its window is open
     */
    bool
    MaySend(const QueuePair& pair) const
    {
        if (!pair.HasMore() || (pair.credit && pair.credit->balance <= 0))
        {
            return false;
        }
        return pair.inFlight == 0 || !m_isLimited || IsOpen(pair) || ExpectsNoAnswer(pair);
    }

    /**
     * @param pair a queue pair
     * @return whether a full packet more is within its window
     */
    bool
    IsOpen(const QueuePair& pair) const
    {
        const std::int64_t window =
            pair.control == nullptr ? pair.window : std::min(pair.window, pair.control->Window());
        return pair.inFlight + m_full <= window;
    }

  private:
    /**
     * @param pair a queue pair with something in flight
     * @return whether nothing of that makes the receiver answer
     */
    bool
    ExpectsNoAnswer(const QueuePair& pair) const
    {
        return pair.asked <= pair.acknowledged && pair.inFlight < m_answered;
    }

    bool m_isLimited;        ///< there is a transport
    std::int64_t m_full;     ///< bytes of a full packet on the wire
    std::int64_t m_answered; ///< bytes of full packets that the receiver acknowledges
};

} // namespace npunet::packet

#endif /* NPU_SEND_WINDOW_H */

/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_CUT_H
#define NPU_PACKET_CUT_H

#include "npu-packet-ways.h"

#include "base/quantities.h"
#include "engine/network.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * A message, as its packets tell of it where they come into another part of a split network. Times
 * in picoseconds.
 */
struct BorderMessage
{
    std::uint64_t id = 0;            ///< engine::MessageId
    std::int64_t start = 0;          ///< when it was sent
    std::int64_t bytes = 0;          ///< payload
    std::int64_t firstByteLeft = -1; ///< start of its first packet
    NodeId source;                   ///< an NPU
    NodeId destination;              ///< another NPU
    std::uint32_t trafficClass = 0;  ///< its class
    engine::MessageLabel label;      ///< what its sender has said
};

/**
 * @ingroup npunet
 * A packet on a link from one part of a split network to another. Times in picoseconds.
 */
struct BorderPacket
{
    BorderMessage message;     ///< that it belongs to
    std::int64_t number = 0;   ///< of the packet on the link
    std::int64_t arrival = 0;  ///< Crossing::arrival
    std::int64_t headerIn = 0; ///< Crossing::headerIn
    std::int64_t born = 0;     ///< when it left its source; with oldest first only
    std::uint32_t link = 0;    ///< number of the link
    std::uint32_t hop = 0;     ///< which one of its route the link is; one path only
    std::uint32_t payload = 0; ///< bytes of the message in it
    bool last = false;         ///< whether it is the last of its message
    WayOfPacket way;           ///< multi-path routing only
};

/**
 * @ingroup npunet
 * Credit on its way back over a link from one part of a split network to another.
 */
struct BorderCredit
{
    std::int64_t stamp = 0;    ///< when it counts, in picoseconds
    std::uint32_t link = 0;    ///< number of the link for which it is
    std::uint32_t channel = 0; ///< its virtual channel
    std::uint32_t wire = 0;    ///< bytes
};

/**
 * @ingroup npunet
 * What joins the parts of a split network (PacketMachine::Split()): it takes what leaves one part
 * and hands it to PacketMachine::Enter() of the part where the link ends, or begins, at the time
 * that it was told. That time is later than one latency of the link from now, and not later than
 * anything that follows from it.
 */
class PacketCut
{
  public:
    /**
     * A message to another part starts.
     * @param handle Message::handle
     * @return what its receiver must know of it
     */
    virtual engine::MessageLabel LabelOf(std::uint32_t handle) = 0;

    /**
     * @param packet leaves this part
     * @param at when it is to enter the part in which packet.link ends
     */
    virtual void PacketLeaves(const BorderPacket& packet, Time at) = 0;

    /**
     * @param credit leaves this part
     * @param at when it is to enter the part in which credit.link begins
     */
    virtual void CreditLeaves(const BorderCredit& credit, Time at) = 0;

    /**
     * The last packet of a message to another part has left its source, and who wanted to has
     * heard of it: nobody here hears of the message again.
     * @param handle Message::handle
     */
    virtual void MessageHasLeft(std::uint32_t handle) = 0;

    /**
     * A message from another part is delivered now.
     * @param message the message
     */
    virtual void MessageArrives(const BorderMessage& message) = 0;

  protected:
    ~PacketCut() = default;
};

} // namespace npunet::packet

#endif /* NPU_PACKET_CUT_H */

/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_BORDER_ENTRANCE_H
#define NPU_BORDER_ENTRANCE_H

#include "packet/credit/credit_boundary.h"
#include "packet/credit/reroute_epochs.h"
#include "packet/base/member_event.h"
#include "packet/credit/switch_step.h"
#include "packet/credit/network_state.h"

#include <cstddef>
#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The packet machine as one part of a split network: what enters it. A frame comes in before
 * anything happens here at its instant (PacketLevel::Enter()); the packet in it goes on as one that
 * has crossed a link of this part.
 */
class BorderEntrance
{
  public:
    /**
     * All of these must outlive this.
     * @param mover moves what has come in
     * @param border what leaves this part
     * @param epochs of the detours
     */
    BorderEntrance(PacketMover& mover, BorderTraffic& border, DetourEpochs& epochs);

    /**
     * PacketLevel::Enter().
     * @param data of the frame
     * @param size in bytes
     */
    void Enter(const std::uint8_t* data, std::size_t size);

  private:
    /**
     * A packet is on a link from another part.
     * @param number of the packet among those that enter
     */
    void EnterPacket(std::uint32_t number);

    /**
     * @param message of a packet that has come in
     * @return the place of the message here
     */
    std::uint32_t Open(const BorderMessage& message);

    PacketState& m_state;    ///< ports, packets and messages of this part
    PacketMover& m_mover;    ///< moves what has come in
    BorderTraffic& m_border; ///< what leaves this part
    DetourEpochs& m_epochs;  ///< of the detours
    MemberEvent<&BorderEntrance::EnterPacket> m_enterEvent{*this}; ///< of packets
};

} // namespace npunet::packet

#endif /* NPU_BORDER_ENTRANCE_H */

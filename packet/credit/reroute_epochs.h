/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_DETOUR_EPOCHS_H
#define NPU_DETOUR_EPOCHS_H

#include "packet/base/member_event.h"
#include "packet/credit/switch_step.h"
#include "packet/credit/network_state.h"
#include "packet/credit/next_hop.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Faults that take links down: sees to it that packets take the detours of their time
 * (topology::Detours), and that those which wait for a link that never comes back choose anew. A
 * change of the routes is an event only while messages are under way.
 */
class DetourEpochs
{
  public:
    /**
     * @param mover moves those that have chosen anew; must outlive this
     */
    explicit DetourEpochs(PacketMover& mover);

    DetourEpochs(const DetourEpochs&) = delete;
    DetourEpochs& operator=(const DetourEpochs&) = delete;

    /// A message is about to start, or to come in: sees to it that the next change is an event.
    /// Nothing without detours.
    void Await();

  private:
    /**
     * Other links are down from now on.
     * @param epoch of the detours
     */
    void Begin(std::uint32_t epoch);

    /// The packets that wait for links that never come back choose anew.
    void LeaveDeadLinks();

    /**
     * Takes the packets out of the queues of a port.
     * @param number of the port
     * @param packets to which they are added
     */
    void EmptyQueues(std::uint32_t number, std::vector<std::uint32_t>& packets);

    /// The next packets of all messages that have not started choose anew.
    void ChooseStartsAnew();

    PacketState& m_state;                                  ///< ports, packets and messages
    WayFinder& m_finder;                                   ///< finds ways, and has the detours
    PacketMover& m_mover;                                  ///< moves those that have chosen anew
    std::size_t m_epoch = 0;                               ///< of the detours
    bool m_isAwaited = false;                              ///< its end is an event
    MemberEvent<&DetourEpochs::Begin> m_beginEvent{*this}; ///< of the detours
};

} // namespace npunet::packet

#endif /* NPU_DETOUR_EPOCHS_H */

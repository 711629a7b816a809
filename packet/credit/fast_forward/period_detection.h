/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_TRAFFIC_FINDER_H
#define NPU_TRAFFIC_FINDER_H

#include "packet/credit/network_state.h"
#include "packet/credit/fast_forward/periodic_group.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Finds ports and long messages that depend on each other: all ports of the messages' routes, all
 * messages that have a packet or their turn at one of these ports. Knows which group each belongs
 * to, until it is released.
 */
class TrafficFinder
{
  public:
    /**
     * @param state of the machine; must outlive this
     */
    explicit TrafficFinder(PacketState& state) : m_state(state), m_ofPorts(state.ports.size(), NONE)
    {
    }

    /**
     * @param port number of a port
     * @return number of its group, or NONE
     */
    std::uint32_t
    GroupOf(std::uint32_t port) const
    {
        return m_ofPorts[port];
    }

    /**
     * @param message place of a message that is under way
     * @param index number of a group
     * @return whether the message belongs to it
     */
    bool
    IsIn(std::uint32_t message, std::uint32_t index) const
    {
        return message < m_ofMessages.size() && m_ofMessages[message] == index;
    }

    /**
     * Collects all ports and messages that depend on a port.
     * @param port number of a port that belongs to no group
     * @param index number of the group
     * @param group an empty one; afterwards with them
     * @return whether they can be looked at; else they are to be released, too
     */
    bool Collect(std::uint32_t port, std::uint32_t index, TrafficGroup& group);

    /**
     * @return messages that the last Collect() has looked at, each time that it has
     */
    std::uint64_t
    Looks() const
    {
        return m_looks;
    }

    /**
     * @param group whose ports and messages belong to none from now on
     */
    void Release(const TrafficGroup& group);

  private:
    /**
     * Adds the ports of a message's route.
     * @param group that is being collected
     * @param message one that was found
     * @return whether it can be part of a group
     */
    bool AddMessage(TrafficGroup& group, std::uint32_t message);

    /**
     * @param group that is being collected
     * @param port whose messages are to be added
     * @return whether they can be part of a group
     */
    bool AddMessagesOf(TrafficGroup& group, std::uint32_t port);

    /**
     * Nodes with a limited internal speed-up: whatever leaves an input competes for it.
     * @param group that is being collected
     * @param input port whose packets wait at the other end of its link
     * @return whether their messages can be part of a group
     */
    bool AddMessagesFrom(TrafficGroup& group, std::uint32_t input);

    /**
     * @param group that is being collected
     * @param queue of packets whose messages are to be added
     * @return whether they can be part of a group
     */
    bool AddPackets(TrafficGroup& group, const VirtualQueue& queue);

    PacketState& m_state;                    ///< of the machine
    std::vector<std::uint32_t> m_ofPorts;    ///< groups by port
    std::vector<std::uint32_t> m_ofMessages; ///< of no meaning for others than a group's
    std::uint32_t m_index = NONE;            ///< of the group that is being collected
    std::uint64_t m_looks = 0;               ///< messages looked at for it
};

} // namespace npunet::packet

#endif /* NPU_TRAFFIC_FINDER_H */

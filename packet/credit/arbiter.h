/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_PACKET_ARBITER_H
#define NPU_PACKET_ARBITER_H

#include "packet/credit/network_state.h"

#include <cstdint>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Chooses which head an idle port sends: among those that are in, have their credit and may leave
 * their input, by round robin or the oldest first, after the class where there are several. The
 * rules are those of PacketMachine.
 *
 *     const std::uint32_t queue = arbiter.Choose(port, now);
 */
class PacketArbiter
{
  public:
    /**
     * @param state ports, queues, credits, turns; must outlive this
     */
    explicit PacketArbiter(PacketState& state) : m_state(state)
    {
    }

    /**
     * With a limited speed-up it may leave an input to another port that comes first there, and
     * says so in PacketPart::yielded.
     * @param portNumber an idle port that is up
     * @param now in picoseconds
     * @return the queue whose head may go, or NONE
     */
    std::uint32_t
    Choose(std::uint32_t portNumber, std::int64_t now)
    {
        if (m_state.several)
        {
            return ChooseByClass(portNumber, now);
        }
        return m_state.oldest ? ChooseOldest(portNumber, now) : ChooseNext(portNumber, now);
    }

    /**
     * Several traffic classes: the head of a queue starts.
     * @param portNumber the port
     * @param queueNumber a queue of the port
     * @param attempts how often the packet is sent
     */
    void ServeClass(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t attempts);

  private:
    /**
     * @param portNumber an idle port that is up
     * @param queueNumber a queue of the port that is not empty
     * @param now in picoseconds
     * @return whether its head may go: it is in, has its credit, and its input lets it
     */
    bool
    CanGo(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now)
    {
        const VirtualQueue& queue = m_state.queues[queueNumber];
        return queue.ready <= now &&
               m_state.Credit(portNumber, queue.channel).Has(queue.wire, now) &&
               !(m_state.reads.AreLimited() && InputRefuses(portNumber, queueNumber, now));
    }

    /// @copydoc Choose
    /// Round robin.
    std::uint32_t
    ChooseNext(std::uint32_t portNumber, std::int64_t now)
    {
        const PacketPort& port = m_state.ports[portNumber];
        std::uint32_t chosen = NONE;
        m_state.filled.ForEach(port, port.turn, [&](std::uint32_t number) {
            if (!CanGo(portNumber, number, now))
            {
                return false;
            }
            chosen = number;
            return true;
        });
        return chosen;
    }

    /// @copydoc Choose
    /// Oldest first.
    std::uint32_t ChooseOldest(std::uint32_t portNumber, std::int64_t now);

    /// @copydoc Choose
    /// Several traffic classes: first the class, then one of the two rules.
    std::uint32_t ChooseByClass(std::uint32_t portNumber, std::int64_t now);

    /**
     * Limited speed-up: whether a head must stay in its input for now.
     * @param portNumber an idle port
     * @param queueNumber a queue of the port, whose head could go but for its input
     * @param now in picoseconds
     * @return whether it must, because enough others are leaving the input or have the first right
     */
    bool InputRefuses(std::uint32_t portNumber, std::uint32_t queueNumber, std::int64_t now);

    /**
     * @param portNumber an idle port
     * @param queueNumber a queue of the port
     * @param now in picoseconds
     * @return whether another idle port, nearer behind the one that the queue's input served last,
     *         has a packet of the input too
     */
    bool OthersComeFirst(std::uint32_t portNumber,
                         std::uint32_t queueNumber,
                         std::int64_t now) const;

    PacketState& m_state; ///< ports, queues, credits, turns
};

} // namespace npunet::packet

#endif /* NPU_PACKET_ARBITER_H */

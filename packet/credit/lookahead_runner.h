/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_WINDOW_RUNNER_H
#define NPU_WINDOW_RUNNER_H

#include "packet/credit/switch_step.h"
#include "packet/credit/network_state.h"
#include "packet/credit/port_schedule.h"
#include "packet/credit/fast_forward/credit_fast_forward.h"

#include "base/thread_crew.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Lets the nodes go on in windows of time, where that is possible. What happens at one node has
 * effects at others one link latency later at the earliest, so that within the shortest latency
 * each goes on alone, in any order, and threads share the nodes.
 *
 * Times in picoseconds.
 */
class WindowRunner
{
  public:
    /**
     * @param mover makes the decisions of ports; must outlive this
     */
    explicit WindowRunner(PacketMover& mover);

    WindowRunner(const WindowRunner&) = delete;
    WindowRunner& operator=(const WindowRunner&) = delete;

    /**
     * @param steady watches ports; null for nobody
     */
    void
    SetSteady(SteadyTraffic* steady)
    {
        m_steady = steady;
    }

    /**
     * Before the first message.
     * @param threads how many may move packets at the same time; at least 1
     * @param leastPackets of the window before, below which one thread does it
     */
    void SetThreads(std::size_t threads, std::uint64_t leastPackets);

    /**
     * Before the first message: finds out whether nodes can go on alone, and which at the same
     * time.
     * @param wanted whether nothing needs to hear of every packet in the order of time
     */
    void ChooseGait(bool wanted);

    /// Windows: the ports have their turn.
    void Turn(std::uint32_t);

  private:
    /// Finds out which nodes go on at the same time.
    void DivideNodes();

    /**
     * Lets the nodes go on, window by window as long as nothing else happens.
     * @param from start of the first window, in picoseconds
     * @return when a port has to decide next
     */
    std::int64_t GoOn(std::int64_t from);

    /**
     * @param from start of a window, in picoseconds
     * @return its end: nobody is told of anything before it
     */
    std::int64_t WindowEnd(std::int64_t from) const;

    /**
     * @param from start of a window, in picoseconds
     * @param limit its end
     * @return whether it pays to let the parts go on at the same time, and nothing forbids it
     */
    bool PartsMayGoOn(std::int64_t from, std::int64_t limit) const;

    /**
     * Lets the parts go on at the same time.
     * @param limit the end of the window, in picoseconds
     */
    void GoOnInParts(std::int64_t limit);

    /**
     * Makes all choices of a node before the end of a window.
     * @param node the node
     * @param limit the end, in picoseconds
     */
    void GoOnAlone(std::uint32_t node, std::int64_t limit);

    /**
     * Makes all choices of a port before a time at which others may take part in them.
     * @param port the port
     * @param limit the time, in picoseconds
     */
    void GoOnByItself(std::uint32_t port, std::int64_t limit);

    /**
     * Puts packets of one message on their only link, one after the other, where nothing else
     * waits for it: all the same choice.
     * @param portNumber the port, whose wish is due
     * @param from now, in picoseconds
     * @param limit no choice at or after it, in picoseconds
     * @return whether there was one; otherwise nothing has happened
     */
    bool Stream(std::uint32_t portNumber, std::int64_t from, std::int64_t limit);

    /**
     * Stream() has put packets on their link.
     * @param portNumber the port
     * @param queueNumber the queue of their message
     * @param packets how many
     * @param from when the first one has started, in picoseconds
     * @param end when the last one has left
     */
    void CountStreamed(std::uint32_t portNumber,
                       std::uint32_t queueNumber,
                       std::int64_t packets,
                       std::int64_t from,
                       std::int64_t end);

    PacketState& m_state;               ///< ports, queues, packets and messages
    PortAgenda& m_agenda;               ///< when ports decide
    PacketMover& m_mover;               ///< makes their decisions
    SteadyTraffic* m_steady = nullptr;  ///< packet trains, or null
    std::int64_t m_lookahead = 0;       ///< the longest window
    std::unique_ptr<ThreadCrew> m_crew; ///< lets parts go on at the same time, or null
    std::size_t m_threads = 1;          ///< wanted
    std::uint64_t m_leastPackets = 0;   ///< of a window that is worth threads
    std::uint64_t m_lastPackets = 0;    ///< of the last window
};

} // namespace npunet::packet

#endif /* NPU_WINDOW_RUNNER_H */

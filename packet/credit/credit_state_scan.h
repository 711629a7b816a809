/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_STEP_SCAN_H
#define NPU_STEP_SCAN_H

#include "packet/credit/network_state.h"
#include "packet/credit/deferred_notifications.h"

#include "engine/network.h"
#include "engine/pending_events.h"
#include "engine/state_scan.h"

#include <cstdint>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * The packet machine's side of the steady state of collective steps (engine::SteadySteps): one scan
 * of its whole state. Messages have no fixed places: they count as what they are to their
 * receivers, so that those of one step equal those of another.
 */
class StepScan
{
  public:
    /**
     * @param state that is scanned
     * @param scan describes, compares or moves
     * @param messages knows what they are to their receivers
     */
    StepScan(PacketState& state, engine::StateScan& scan, engine::MessageScanner& messages)
        : m_state(state), m_scan(scan), m_messages(messages)
    {
    }

    /**
     * Scans everything; what is planned for the ports follows from it.
     * @param events of the queue
     * @param handlers of messages
     */
    void Scan(engine::PendingEvents& events, const MessageHandlers& handlers);

  private:
    /**
     * @param events of the queue
     * @param handlers of messages
     */
    void Events(engine::PendingEvents& events, const MessageHandlers& handlers);

    /**
     * @param number of a port
     */
    void Port(std::uint32_t number);

    /**
     * @param portNumber the port
     * @param queue one of its queues, not empty
     */
    void Queue(std::uint32_t portNumber, VirtualQueue& queue);

    /**
     * @param place of a packet in a queue
     */
    void Packet(std::uint32_t place);

    /**
     * @param place of a message, wherever it is met
     */
    void Message(std::uint32_t place);

    /**
     * What decides, of a message; moves it on, too.
     * @param place of the message
     */
    void Record(std::uint32_t place);

    /// Moves on what is known of the messages that were met.
    void MoveMessages();

    PacketState& m_state;               ///< that is scanned
    engine::StateScan& m_scan;          ///< describes, compares or moves
    engine::MessageScanner& m_messages; ///< knows messages
    std::vector<std::uint32_t> m_met;   ///< moving: messages, more than once
    std::vector<std::int64_t> m_words;  ///< of one port
    std::int64_t m_since = 0;           ///< nobody has waited longer for a port's credit
};

} // namespace npunet::packet

#endif /* NPU_STEP_SCAN_H */

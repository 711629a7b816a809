#pragma once

#include "packet/credit/deferred_notifications.h"
#include "packet/credit/network_state.h"

#include "engine/network.h"
#include "engine/pending_events.h"
#include "engine/state_scan.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

/// The packet machine's side of the steady state of collective steps (engine::SteadySteps): one
/// scan of its whole state. Messages have no fixed places: they count as what they are to their
/// receivers, so that those of one step equal those of another.
class CreditStateScan {
public:
    /// @param state that is scanned
    /// @param scan describes, compares or moves
    /// @param messages knows what they are to their receivers
    CreditStateScan(CreditNetworkState& state, engine::StateScan& scan,
                    engine::MessageScanner& messages)
        : state_(state), scan_(scan), messages_(messages) {}

    /// Scans everything; what is planned for the ports follows from it.
    /// @param events of the queue
    /// @param handlers of messages
    void scan(engine::PendingEvents& events, const MessageHandlers& handlers);

private:
    /// @param events of the queue
    /// @param handlers of messages
    void scan_events(engine::PendingEvents& events, const MessageHandlers& handlers);

    /// @param number of a port
    void scan_port(std::uint32_t number);

    /// @param port_number the port
    /// @param queue one of its queues, not empty
    void scan_queue(std::uint32_t port_number, VirtualOutputQueue& queue);

    /// @param place of a packet in a queue
    void scan_packet(std::uint32_t place);

    /// @param place of a message, wherever it is met
    void scan_message(std::uint32_t place);

    /// What decides, of a message; moves it on, too.
    /// @param place of the message
    void scan_record(std::uint32_t place);

    /// Moves on what is known of the messages that were met.
    void move_messages();

    CreditNetworkState& state_;         ///< that is scanned
    engine::StateScan& scan_;           ///< describes, compares or moves
    engine::MessageScanner& messages_;  ///< knows messages
    std::vector<std::uint32_t> met_;    ///< moving: messages, more than once
    std::vector<std::int64_t> words_;   ///< of one port
    std::int64_t since_ = 0;            ///< nobody has waited longer for a port's credit
};

}  // namespace npunet::packet

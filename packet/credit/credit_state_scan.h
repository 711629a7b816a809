// The scan of a credit network for the fast-forward of collective steps (engine::SteadySteps): its
// whole state. Messages have no fixed places; they are identified relative to their receivers, so
// that those of one step equal those of another.
#pragma once

#include "packet/credit/deferred_notifications.h"
#include "packet/credit/network_state.h"

#include "engine/clock/pending_events.h"
#include "engine/clock/state_scan.h"
#include "engine/network/network.h"

#include <cstdint>
#include <vector>

namespace npunet::packet {

class CreditStateScan {
public:
    CreditStateScan(CreditNetworkState& state, engine::StateScan& scan,
                    engine::MessageScanner& messages)
        : state_(state), scan_(scan), messages_(messages) {}

    /// Scans everything but the schedule of the ports, which follows from it.
    void scan(engine::PendingEvents& events, const MessageHandlers& handlers);

private:
    void scan_events(engine::PendingEvents& events, const MessageHandlers& handlers);

    void scan_port(std::uint32_t number);

    /// `queue` must not be empty.
    void scan_queue(std::uint32_t port_number, VirtualOutputQueue& queue);

    void scan_packet(std::uint32_t place);

    /// Scans a message referred to by the state. When moving, only notes it for move_messages().
    void scan_message(std::uint32_t place);

    /// Scans, or moves, the state of a message.
    void scan_record(std::uint32_t place);

    void move_messages();

    CreditNetworkState& state_;
    engine::StateScan& scan_;
    engine::MessageScanner& messages_;
    std::vector<std::uint32_t> found_;  ///< when moving: messages found, with repetitions
    std::vector<std::int64_t> words_;   ///< of one port
    std::int64_t since_ = 0;            ///< no wait for the port's credit began before
};

}  // namespace npunet::packet

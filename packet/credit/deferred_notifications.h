// Notifications from the steps of ports to the whole network: ends of messages, and packets after
// which CreditFastForward is to look for patterns. They are issued immediately or, while thread
// partitions run in parallel, after the lookahead window.
//
// Times in picoseconds.
#pragma once

#include "packet/credit/fast_forward/credit_fast_forward.h"
#include "packet/credit/network_state.h"

#include "engine/clock/event_queue.h"

#include <cstdint>

namespace npunet::packet {

/// Handlers of message notifications; the payload of an event is the place of the message.
struct MessageHandlers {
    engine::EventHandler& sent;       ///< its last byte has left its source
    engine::EventHandler& delivered;  ///< its last byte has arrived
};

class DeferredNotifications {
public:
    /// Both must outlive this.
    DeferredNotifications(CreditNetworkState& state, const MessageHandlers& handlers)
        : state_(state), handlers_(handlers) {}

    /// `port`: of the thread partition in which the event has been found.
    void announce(const CreditPort& port, const MessageEvent& event);

    /// A port that CreditFastForward watches has started a packet, which has left at `end`.
    void announce_start(std::uint32_t port_number, std::int64_t now, std::int64_t end);

    /// Issues what the partitions have deferred and adds up their counts. Returns the packets that
    /// no event of the queue has started since the last call.
    std::uint64_t gather();

private:
    void schedule(const MessageEvent& event);

    CreditNetworkState& state_;
    MessageHandlers handlers_;
};

}  // namespace npunet::packet

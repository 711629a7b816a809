#pragma once

#include "packet/credit/fast_forward/credit_fast_forward.h"
#include "packet/credit/network_state.h"

#include "engine/event_queue.h"

#include <cstdint>

namespace npunet::packet {

/// Who is told of messages; the number of an event is the place of the message.
struct MessageHandlers {
    engine::EventHandler& sent;       ///< its last byte has left its source
    engine::EventHandler& delivered;  ///< its last byte is in
};

/// What the steps of ports have to tell the whole machine: the ends of messages, and packets after
/// which CreditFastForward is to look. It is told at once, or, where parts of the network go on at
/// the same time, after their window.
///
/// Times in picoseconds.
class DeferredNotifications {
public:
    /// @param state with the parts and the simulation's events; must outlive this
    /// @param handlers must outlive this
    DeferredNotifications(CreditNetworkState& state, const MessageHandlers& handlers)
        : state_(state), handlers_(handlers) {}

    DeferredNotifications(const DeferredNotifications&) = delete;
    DeferredNotifications& operator=(const DeferredNotifications&) = delete;

    /// @param fast_forward is told of starts; null for nobody
    void set_fast_forward(CreditFastForward* fast_forward) { fast_forward_ = fast_forward; }

    /// @param port whose part knows of it
    /// @param event of which somebody is to be told
    void announce(const CreditPort& port, const MessageEvent& event);

    /// A port that CreditFastForward looks at has started a packet.
    /// @param port_number the port
    /// @param now in picoseconds
    /// @param end when the packet has left
    void announce_start(std::uint32_t port_number, std::int64_t now, std::int64_t end);

    /// Adds up what the parts have counted, and tells what they have to tell.
    /// @return packets that no event of the queue has started since the last time
    std::uint64_t gather();

private:
    /// @param event of which somebody is to be told
    void schedule(const MessageEvent& event);

    CreditNetworkState& state_;                  ///< with the parts
    MessageHandlers handlers_;                   ///< are told of messages
    CreditFastForward* fast_forward_ = nullptr;  ///< is told of starts
};

}  // namespace npunet::packet

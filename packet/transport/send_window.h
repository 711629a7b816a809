// When a queue pair may send a packet: nothing is in flight; or what is in flight and a full packet
// are within its window, that of the transport and that of congestion control; or no packet in
// flight will make the receiver answer. With receiver credits it needs credit, too.
#pragma once

#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair.h"

#include "topology/network/network_description.h"

#include <algorithm>
#include <cstdint>

namespace npunet::packet {

class SendWindow {
public:
    SendWindow(const topology::TransportParameters& transport, const PacketSizes& sizes)
        : is_limited_(transport.kind != topology::TransportKind::None),
          full_(sizes.full()),
          answered_(transport.ack_every * full_) {}

    /// Whether it has a packet, and may send it.
    bool may_send(const QueuePair& pair) const {
        if (!pair.has_more() || (pair.credit && pair.credit->balance <= 0)) {
            return false;
        }
        return pair.in_flight == 0 || !is_limited_ || is_open(pair) || expects_no_answer(pair);
    }

    /// The window of a queue pair in bytes on the wire: that of the transport, or of congestion
    /// control, if that is smaller.
    static std::int64_t of(const QueuePair& pair) {
        return pair.control == nullptr ? pair.window
                                       : std::min(pair.window, pair.control->window());
    }

    /// Whether one more full packet is within its window.
    bool is_open(const QueuePair& pair) const { return pair.in_flight + full_ <= of(pair); }

private:
    /// Whether no packet in flight will make the receiver answer, if anything is in flight.
    bool expects_no_answer(const QueuePair& pair) const {
        return pair.asked <= pair.acknowledged && pair.in_flight < answered_;
    }

    bool is_limited_;        ///< there is a transport
    std::int64_t full_;      ///< bytes of a full packet on the wire
    std::int64_t answered_;  ///< bytes in flight that are always answered
};

}  // namespace npunet::packet

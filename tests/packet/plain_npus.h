// The NPUs at the ends of the plain simulator's network, as its ports see them: where packets come
// from and where they go. The queue pairs are behind it (plain_queue_pairs.h).
//
//     if (npus.has_packet(port, now)) {
//         transmit(npus.take_packet(port, now));
//     }
#pragma once

#include <optional>

#include "plain_packet.h"

namespace npunet::packet_test::plain {

class Npus {
public:
    /// Whether something that starts at this port may be sent now. The answer holds until the next
    /// call.
    [[nodiscard]] virtual bool has_packet(LinkId port, Time now) = 0;
    /// Where it has one.
    [[nodiscard]] virtual Packet take_packet(LinkId port, Time now) = 0;
    /// A packet is in at the end of its route. Returns the answer, if one is sent.
    [[nodiscard]] virtual std::optional<Packet> receive(const Packet& packet, Time now) = 0;

protected:
    ~Npus() = default;
};

}  // namespace npunet::packet_test::plain

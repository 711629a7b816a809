// Loss detection of a sender: which packets in flight have been received, and which are lost and
// have to be sent again. The rules of go-back-N, selective repeat and timeouts stand in
// transport.h.
#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair.h"
#include "packet/transport/start_jitter.h"
#include "packet/transport/transport_messages.h"

#include "topology/network/network_description.h"

#include <cstdint>

namespace npunet::packet {

class LossRecovery {
public:
    /// Sizes, clock and messages must outlive this.
    LossRecovery(const topology::NetworkDescription& description, const PacketSizes& sizes,
                 const PacketClock& clock, TransportMessages& messages);

    /// Processes the sequence numbers of an answer. Returns newly acknowledged bytes on the wire.
    std::int64_t hear(QueuePair& pair, const EthernetPacket& answer);

    /// Whether the last answer has revealed a loss that congestion control hears of.
    bool heard_loss() const { return heard_loss_; }

    /// Everything in flight is considered lost; the next start is postponed (StartJitter).
    void lose_all(QueuePair& pair);

    /// Selective repeat: returns the lowest lost number, which is sent now. At least one must be
    /// lost.
    static std::uint64_t take_lost(SelectiveState& selective);

private:
    /// All packets below `up_to` are received. Returns newly acknowledged bytes on the wire.
    std::int64_t acknowledge(QueuePair& pair, std::uint64_t up_to);

    /// Go-back-N: packets below `end` are received. `message`: the first that is not acknowledged;
    /// `end` is not beyond it. Returns their bytes on the wire.
    std::int64_t acknowledge_some(QueuePair& pair, const TransportMessage& message,
                                  std::uint64_t end);

    /// Selective repeat: one packet is received. Returns its bytes on the wire, 0 if that was
    /// known.
    std::int64_t acknowledge_one(QueuePair& pair, std::uint64_t sequence);

    /// Selective repeat: finds losses from the highest received number.
    void judge_losses(QueuePair& pair);

    /// Selective repeat. `sequence`: sent, and not known to be received.
    void lose(QueuePair& pair, std::uint64_t sequence);

    /// Signals a loss to congestion control, once for all packets in flight at that time.
    void tell_loss(QueuePair& pair, std::uint64_t sequence);

    std::int64_t reordering_;  ///< later packets before a packet counts as lost; -1: never
    const PacketSizes& sizes_;
    const PacketClock& clock_;
    TransportMessages& messages_;
    StartJitter jitter_;
    bool heard_loss_ = false;
};

}  // namespace npunet::packet

#pragma once

#include "packet/base/clock.h"
#include "packet/base/ethernet_packet.h"
#include "packet/base/packet_sizes.h"
#include "packet/transport/queue_pair.h"
#include "packet/transport/start_jitter.h"
#include "packet/transport/transport_messages.h"

#include "topology/network_description.h"

#include <cstdint>

namespace npunet::packet {

/// What the sender of a queue pair finds out about what is in flight: what is in, and what is lost
/// and has to be sent again.
///
/// - Go-back-N: when the receiver asks for the packet that it expects the sender goes on from
/// there,
///   if it has sent anything beyond.
/// - Selective repeat: a packet that is not in although one is whose number is higher by more than
///   `reordering` is sent again, by this rule once.
/// - After a timeout all that is in flight is taken for lost.
class LossRecovery {
public:
    /// @param description the network
    /// @param sizes of packets; must outlive this
    /// @param clock the network's; must outlive this
    /// @param messages those of the transport; must outlive this
    LossRecovery(const topology::NetworkDescription& description, const PacketSizes& sizes,
                 const EthernetClock& clock, TransportMessages& messages);

    /// An answer of the receiver has come: what it says of packets.
    /// @param pair a queue pair
    /// @param answer the answer
    /// @return bytes on the wire that were not known to be in
    std::int64_t hear(QueuePair& pair, const EthernetPacket& answer);

    /// All that is in flight is taken for lost; the queue pair is put off (StartJitter).
    /// @param pair a queue pair
    void lose_all(QueuePair& pair);

    /// Selective repeat.
    /// @param selective with packets that have to be sent again
    /// @return number of the lowest of them, which is sent now
    static std::uint64_t take_lost(SelectiveState& selective);

private:
    /// @param pair a queue pair
    /// @param up_to packets below are in
    /// @return bytes on the wire that were not known to be in
    std::int64_t acknowledge(QueuePair& pair, std::uint64_t up_to);

    /// Go-back-N: packets of one message are in.
    /// @param pair a queue pair
    /// @param message its first message that is not acknowledged
    /// @param end packets below are in, of that message or before
    /// @return their bytes on the wire
    std::int64_t acknowledge_some(QueuePair& pair, const TransportMessage& message,
                                  std::uint64_t end);

    /// Selective repeat: the receiver has a packet.
    /// @param pair a queue pair
    /// @param sequence of the packet
    /// @return its bytes on the wire, 0 if that was known
    std::int64_t acknowledge_one(QueuePair& pair, std::uint64_t sequence);

    /// Selective repeat: finds what must be lost by what the receiver has.
    /// @param pair a queue pair
    void judge_losses(QueuePair& pair);

    /// Selective repeat: a packet has to be sent again.
    /// @param pair a queue pair
    /// @param sequence of the packet, sent and not known to be in
    void lose(QueuePair& pair, std::uint64_t sequence);

    /// Congestion control hears of a loss, once for all that were in flight at that time.
    /// @param pair a queue pair
    /// @param sequence of the packet
    void tell_loss(QueuePair& pair, std::uint64_t sequence);

    std::int64_t reordering_;      ///< later packets before a loss is found; -1: never
    const PacketSizes& sizes_;     ///< of packets
    const EthernetClock& clock_;   ///< the network's
    TransportMessages& messages_;  ///< those of the transport
    StartJitter jitter_;           ///< when those that go back go on
};

}  // namespace npunet::packet

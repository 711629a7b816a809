#include "packet/transport/receiver.h"

namespace npunet::packet {

using topology::TransportKind;

TransportReceiver::TransportReceiver(const topology::NetworkDescription& description,
                                     PacketClock& clock, const PacketSizes& sizes,
                                     QueuePairTable& pairs, TransportMessages& messages,
                                     TransportPackets& packets)
    : kind_(description.packet.transport.kind),
      ack_every_(description.packet.transport.ack_every),
      needs_(topology::needs_of(description.packet.congestion_control)),
      clock_(clock),
      pairs_(pairs),
      messages_(messages),
      packets_(packets),
      credits_(description, clock, sizes, pairs, packets) {}

void TransportReceiver::receive_data(EthernetPacket& packet) {
    QueuePair& pair = pairs_[packet.pair];
    if (packet.datagram) {
        pair.use.marked += packet.marked;
        messages_.deliver_datagram(static_cast<std::uint32_t>(packet.subject), packet.marked != 0);
        return;
    }
    if (pair.credit) {
        credits_.learn(packet);
    }
    if (packet.trimmed) {
        packets_.answer(PacketKind::Trimmed, packet);
        return;
    }
    if (packet.marked != 0) {
        notice_mark(packet);
    }
    const std::uint64_t sequence = packet.sequence;
    if (sequence != pair.expected) {
        receive_out_of_order(pair, packet);
        return;
    }
    pair.asked_back = false;
    const bool complete = accept(pair, sequence);
    if (kind_ == TransportKind::None) {
        return;
    }
    ++pair.unanswered;
    // A closed gap is acknowledged at once: the sender may be waiting for it.
    const bool filled = pair.expected > sequence + 1;
    if (complete || filled || packet.asks || pair.unanswered >= ack_every_) {
        packets_.answer(PacketKind::Acknowledgement, packet);
    }
}

void TransportReceiver::receive_out_of_order(QueuePair& pair, EthernetPacket& packet) {
    const bool keeps_early = kind_ != TransportKind::GoBackN;
    const bool again =
        packet.sequence < pair.expected || (keeps_early && pair.early.contains(packet.sequence));
    if (!again && !keeps_early) {
        if (!pair.asked_back) {
            pair.asked_back = true;
            packets_.answer(PacketKind::GoBack, packet);
        }
        return;
    }
    if (!again) {
        pair.early.insert(packet.sequence);
    }
    if (kind_ != TransportKind::None) {
        packets_.answer(PacketKind::Acknowledgement, packet);
    }
}

bool TransportReceiver::accept(QueuePair& pair, std::uint64_t sequence) {
    pair.expected = sequence + 1;
    if (kind_ != TransportKind::GoBackN) {
        while (pair.early.contains(pair.expected)) {
            ++pair.expected;
        }
        pair.early.move_base(pair.expected);
    }
    return messages_.deliver(pair);
}

void TransportReceiver::notice_mark(EthernetPacket& packet) {
    QueuePair& pair = pairs_[packet.pair];
    ++pair.use.marked;
    if (needs_.echo) {
        pair.marked_bytes += packet.wire;
    }
    const std::int64_t now = clock_.now();
    if (needs_.notification_interval == 0 ||
        (pair.last_notified >= 0 && now - pair.last_notified < needs_.notification_interval)) {
        return;
    }
    pair.last_notified = now;
    ++pair.use.notified;
    packets_.answer(PacketKind::Notification, packet);
}

}  // namespace npunet::packet

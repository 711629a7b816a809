#include "packet/transport/loss_recovery.h"

#include <algorithm>

namespace npunet::packet {

LossRecovery::LossRecovery(const topology::NetworkDescription& description,
                           const PacketSizes& sizes, const PacketClock& clock,
                           TransportMessages& messages)
    : reordering_(description.packet.transport.reordering),
      sizes_(sizes),
      clock_(clock),
      messages_(messages),
      jitter_(description) {
    if (reordering_ < 0 && description.multipath == nullptr) {
        reordering_ = 0;
    }
}

std::int64_t LossRecovery::hear(QueuePair& pair, const EthernetPacket& answer) {
    heard_loss_ = false;
    std::int64_t bytes = acknowledge(pair, answer.sequence);
    if (pair.selective) {
        if (answer.kind == PacketKind::Acknowledgement) {
            bytes += acknowledge_one(pair, answer.subject);
            judge_losses(pair);
        } else if (answer.subject >= pair.acknowledged &&
                   pair.selective->is_in_flight(answer.subject)) {
            lose(pair, answer.subject);
            tell_loss(pair, answer.subject);
        }
    } else if (answer.kind == PacketKind::GoBack && answer.sequence == pair.acknowledged &&
               pair.next > pair.acknowledged) {
        tell_loss(pair, pair.acknowledged);
        lose_all(pair);
    }
    return bytes;
}

std::int64_t LossRecovery::acknowledge(QueuePair& pair, std::uint64_t up_to) {
    std::int64_t bytes = 0;
    while (pair.acknowledged < up_to) {
        const std::uint32_t place = pair.acknowledging;
        const TransportMessage& message = messages_[place];
        const std::uint64_t end = std::min(up_to, message.last + 1);
        if (pair.selective) {
            for (; pair.acknowledged < end; ++pair.acknowledged) {
                bytes += acknowledge_one(pair, pair.acknowledged);
            }
        } else {
            bytes += acknowledge_some(pair, message, end);
        }
        if (end == message.last + 1) {
            pair.acknowledging = message.next;
            if (pair.next < end) {
                pair.next = end;
                pair.sending = message.next;
            }
            messages_.sender_is_done(place, clock_.now());
        }
        pair.next = std::max(pair.next, pair.acknowledged);
    }
    if (pair.selective) {
        pair.selective->received.move_base(pair.acknowledged);
        pair.selective->lost.move_base(pair.acknowledged);
        pair.selective->first_lost = std::max(pair.selective->first_lost, pair.acknowledged);
    }
    return bytes;
}

std::int64_t LossRecovery::acknowledge_some(QueuePair& pair, const TransportMessage& message,
                                            std::uint64_t end) {
    const auto packets = static_cast<std::int64_t>(end - pair.acknowledged);
    const std::int64_t bytes = (packets - 1) * sizes_.full() + messages_.wire_of(message, end - 1);
    // Packets from `next` on were considered lost, so they are not part of in_flight.
    const std::uint64_t flying = std::clamp(pair.next, pair.acknowledged, end);
    const auto counted = static_cast<std::int64_t>(flying - pair.acknowledged);
    pair.in_flight -= flying == end ? bytes : std::min(pair.in_flight, counted * sizes_.full());
    pair.acknowledged = end;
    return bytes;
}

std::int64_t LossRecovery::acknowledge_one(QueuePair& pair, std::uint64_t sequence) {
    SelectiveState& selective = *pair.selective;
    if (sequence < pair.acknowledged || selective.received.contains(sequence)) {
        return 0;
    }
    const std::int64_t wire = messages_.wire_of(pair, sequence);
    if (selective.lost.contains(sequence)) {
        selective.lost.erase(sequence);
        --selective.losses;
    } else {
        pair.in_flight -= wire;
    }
    selective.received.insert(sequence);
    selective.highest = std::max(selective.highest, sequence + 1);
    return wire;
}

void LossRecovery::judge_losses(QueuePair& pair) {
    SelectiveState& selective = *pair.selective;
    if (reordering_ < 0) {
        return;
    }
    const auto tolerated = static_cast<std::uint64_t>(reordering_);
    // `tolerated` numbers lie between the highest received and the last one judged.
    const std::uint64_t end =
        selective.highest > tolerated + 1 ? selective.highest - 1 - tolerated : 0;
    for (std::uint64_t sequence = std::max(selective.judged, pair.acknowledged); sequence < end;
         ++sequence) {
        if (selective.is_in_flight(sequence)) {
            lose(pair, sequence);
            tell_loss(pair, sequence);
        }
    }
    selective.judged = std::max(selective.judged, end);
}

void LossRecovery::lose(QueuePair& pair, std::uint64_t sequence) {
    SelectiveState& selective = *pair.selective;
    pair.in_flight -= messages_.wire_of(pair, sequence);
    selective.lost.insert(sequence);
    selective.first_lost =
        selective.losses == 0 ? sequence : std::min(selective.first_lost, sequence);
    ++selective.losses;
}

void LossRecovery::tell_loss(QueuePair& pair, std::uint64_t sequence) {
    if (pair.selective) {
        if (sequence < pair.selective->recovery_end) {
            return;
        }
        pair.selective->recovery_end = pair.top;
    }
    heard_loss_ = true;
    if (pair.control) {
        pair.control->lost(clock_.now(), false);
    }
}

void LossRecovery::lose_all(QueuePair& pair) {
    pair.asked = 0;
    jitter_.put_off(pair, clock_.now());
    if (pair.selective) {
        for (std::uint64_t sequence = pair.acknowledged; sequence < pair.next; ++sequence) {
            if (pair.selective->is_in_flight(sequence)) {
                lose(pair, sequence);
            }
        }
        pair.selective->recovery_end = pair.top;
    } else {
        pair.next = pair.acknowledged;
        pair.sending = pair.acknowledging;
        pair.in_flight = 0;
    }
}

std::uint64_t LossRecovery::take_lost(SelectiveState& selective) {
    while (!selective.lost.contains(selective.first_lost)) {
        ++selective.first_lost;
    }
    const std::uint64_t sequence = selective.first_lost++;
    selective.lost.erase(sequence);
    --selective.losses;
    return sequence;
}

}  // namespace npunet::packet

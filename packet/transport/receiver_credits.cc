#include "packet/transport/receiver_credits.h"

#include "base/quantities.h"
#include "engine/network/network.h"

#include <algorithm>

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

ReceiverCredits::ReceiverCredits(const topology::NetworkDescription& description,
                                 PacketClock& clock, const PacketSizes& sizes,
                                 QueuePairTable& pairs, TransportPackets& packets)
    : clock_(clock), pairs_(pairs), packets_(packets) {
    const topology::CongestionControlChoice& choice = description.packet.congestion_control;
    if (choice.algorithm != topology::CongestionAlgorithm::ReceiverCredit) {
        return;
    }
    const double rate = topology::value_of(choice, "credit_rate");
    pacers_.resize(description.graph.links());
    for (std::size_t number = 0; number < pacers_.size(); ++number) {
        const topology::Link& link = description.graph.link(LinkId(number));
        const Time full = transfer_time(Bytes(sizes.full()), link.rate);
        const double interval = static_cast<double>(full.ps()) / rate;
        pacers_[number].interval = capped_whole(interval) + 1;
    }
}

void ReceiverCredits::learn(const EthernetPacket& packet) {
    QueuePair& pair = pairs_[packet.pair];
    CreditState& credit = *pair.credit;
    // Control packets overtake data, whose report is then outdated.
    if (packet.sent_at < credit.learned_at) {
        return;
    }
    credit.learned_at = packet.sent_at;
    credit.learn(packet.backlog, packet.subject,
                 packet.kind == PacketKind::Request && packet.repeated);
    if (credit.demand > 0 && !credit.in_turn) {
        credit.in_turn = true;
        pacers_[pair.last_link].waiting.push_back(packet.pair);
        await(pair.last_link);
    }
}

void ReceiverCredits::await(std::uint32_t link) {
    Pacer& pacer = pacers_[link];
    if (pacer.awaited) {
        return;
    }
    pacer.awaited = true;
    ++due_;
    clock_.schedule(std::max(pacer.next, clock_.now()),
                    EventKey::of(Phase::Arrival, engine::event_kind::grant, link), event_, link);
}

void ReceiverCredits::due(std::uint32_t link) {
    Pacer& pacer = pacers_[link];
    pacer.awaited = false;
    --due_;
    const std::uint32_t pair = pacer.waiting.front();
    pacer.waiting.pop_front();
    pacer.next = later(Time::ps(clock_.now()), Time::ps(pacer.interval)).ps();
    grant(pair);
    if (!pacer.waiting.empty()) {
        await(link);
    }
}

void ReceiverCredits::grant(std::uint32_t number) {
    const QueuePair& pair = pairs_[number];
    CreditState& credit = *pair.credit;
    credit.in_turn = false;
    if (credit.demand == 0) {
        return;
    }
    --credit.demand;
    ++credit.given;
    if (credit.demand > 0) {
        credit.in_turn = true;
        pacers_[pair.last_link].waiting.push_back(number);
    }
    EthernetPacket cause;
    cause.pair = number;
    cause.sequence = credit.given;
    packets_.answer(PacketKind::Grant, cause);
}

}  // namespace npunet::packet

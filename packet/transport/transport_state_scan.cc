#include "packet/transport/transport_state_scan.h"

#include <algorithm>

namespace npunet::packet {

using topology::TransportKind;

std::size_t TransportStateScan::collect_flows() {
    constexpr std::size_t look = 4;  // words of each, which are far apart in memory
    const std::vector<QueuePair>& pairs = pairs_.all();
    flows_.clear();
    for (std::uint32_t number = 0; number < pairs.size(); ++number) {
        if (pairs[number].is_in_flight()) {
            flows_.push_back(number);
        }
    }
    return look * pairs.size();
}

void TransportStateScan::prepare_move(engine::StateScan& scan) {
    steps_.assign(pairs_.all().size(), 0);
    for (const std::uint32_t number : flows_) {
        steps_[number] = scan.progress(pairs_[number].expected);
    }
}

void TransportStateScan::scan(engine::StateScan& scan) {
    for (const std::uint32_t number : flows_) {
        if (!scan.moves()) {
            scan.progress(pairs_[number].expected);
        }
        scan_pair(scan, number);
        if (scan.differs()) {
            return;
        }
    }
}

void TransportStateScan::scan_pair(engine::StateScan& scan, std::uint32_t number) {
    QueuePair& pair = pairs_[number];
    const engine::FlowProgress progress = progress_of(number);
    scan_sender(scan, pair, progress);
    scan_receiver(scan, pair, progress);
    if (pair.control) {
        pair.control->scan(scan, progress);
    }
    scan.same(pair.use.timeouts);
    scan.count(pair.transmissions);
    scan.count(pair.answers);
    scan.count(pair.use.packets);
    scan.count(pair.use.repeated);
    scan.count(pair.use.marked);
    scan.count(pair.use.notified);
    scan.sequence(pair.expected, progress);
}

void TransportStateScan::scan_sender(engine::StateScan& scan, QueuePair& pair,
                                     const engine::FlowProgress& progress) const {
    scan.sequence(pair.next, progress);
    scan.sequence(pair.top, progress);
    scan.same(pair.in_flight);
    scan.same(static_cast<std::int64_t>(pair.place));
    if (kind_ == TransportKind::None || pair.datagrams) {
        scan.same(static_cast<std::int64_t>(pair.acknowledged));
    } else {
        scan.sequence_from(pair.asked, pair.acknowledged, progress);
        if (pair.selective) {
            scan_selective(scan, pair, progress);
        }
        scan.sequence(pair.acknowledged, progress);
    }
    for (const std::uint32_t message : {pair.sending, pair.acknowledging, pair.delivering}) {
        scan.same(std::int64_t{message});
    }
    scan.ahead(pair.next_start);
    scan.instant(pair.deadline);
    scan.ahead(pair.last_end);
    scan.same(std::int64_t{pair.backoff} << 32 | std::int64_t{pair.starts});
}

void TransportStateScan::scan_receiver(engine::StateScan& scan, QueuePair& pair,
                                       const engine::FlowProgress& progress) const {
    const bool holds_back =
        pair.last_notified >= 0 && scan.at() - pair.last_notified < notification_interval_;
    scan.same(std::int64_t{holds_back});
    if (holds_back) {
        scan.instant(pair.last_notified);
    }
    scan.same(std::int64_t{pair.unanswered} << 32 | std::int64_t{pair.marked_bytes});
    scan.same(std::int64_t{pair.asked_back});
    if (scan.moves()) {
        pair.early.shift(progress.step);
    }
    pair.early.for_each([&](std::uint64_t early) { scan.sequence(early, progress); });
    scan.same(std::int64_t{-1});
}

void TransportStateScan::scan_selective(engine::StateScan& scan, QueuePair& pair,
                                        const engine::FlowProgress& progress) {
    SelectiveState& selective = *pair.selective;
    for (SequenceSet* set : {&selective.received, &selective.lost}) {
        if (scan.moves()) {
            set->shift(progress.step);
        }
        set->for_each([&](std::uint64_t member) { scan.sequence(member, progress); });
        scan.same(std::int64_t{-1});
    }
    scan.same(static_cast<std::int64_t>(selective.losses));
    if (selective.losses > 0) {
        scan.sequence(selective.first_lost, progress);
    }
    scan.sequence(selective.highest, progress);
    scan.sequence_from(selective.judged, pair.acknowledged, progress);
    scan.sequence_from(selective.recovery_end, pair.acknowledged, progress);
}

void TransportStateScan::scan_packet(engine::StateScan& scan, EthernetPacket& packet) {
    const engine::FlowProgress progress = progress_of(packet.pair);
    scan.same(std::int64_t{packet.pair} << 32 | std::int64_t{packet.marked});
    scan.sequence(packet.sequence, progress);
    if (packet.kind == PacketKind::Data) {
        scan.same(static_cast<std::int64_t>(packet.subject));
    } else {
        scan.sequence(packet.subject, progress);
    }
    // Only congestion control reads the age of a packet.
    if (pairs_[packet.pair].control) {
        scan.instant(packet.sent_at);
    }
}

std::int64_t TransportStateScan::periods_left(const engine::StateSample& earlier,
                                              const engine::StateSample& present) const {
    std::int64_t periods = never;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
        const auto step = static_cast<std::int64_t>(present.progress[i] - earlier.progress[i]);
        if (step == 0) {
            continue;
        }
        const QueuePair& pair = pairs_[flows_[i]];
        if (pair.sending == none || pair.sending != pair.acknowledging ||
            pair.sending != pair.delivering) {
            return 0;
        }
        // The period after the last counted one must consist of full packets, too.
        const auto left = static_cast<std::int64_t>(messages_[pair.sending].last - pair.top);
        periods = std::min(periods, left / step - 1);
    }
    return periods == never ? 0 : periods;
}

}  // namespace npunet::packet

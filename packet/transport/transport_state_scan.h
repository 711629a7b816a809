// Fast-forward (PeriodicTransport) of the transport: scans the state that decides what the queue
// pairs with messages in progress do next, and advances it by periods.
#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/retransmission_timers.h"
#include "packet/transport/send_queues.h"
#include "packet/transport/transport_messages.h"

#include "engine/clock/state_scan.h"
#include "topology/network/network_description.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class TransportStateScan {
public:
    /// Pairs, messages, send queues and timers must outlive this.
    TransportStateScan(const topology::PacketParameters& packet, QueuePairTable& pairs,
                       const TransportMessages& messages, SendQueues& send_queues,
                       RetransmissionTimers& timers)
        : kind_(packet.transport.kind),
          notification_interval_(
              topology::needs_of(packet.congestion_control).notification_interval),
          pairs_(pairs),
          messages_(messages),
          send_queues_(send_queues),
          timers_(timers) {}

    /// Selects the queue pairs with messages in progress for scan(). Returns the words examined.
    std::size_t collect_flows();

    /// When the state is advanced: to be called before any packet is.
    void prepare_move(engine::StateScan& scan);

    /// Scans all queue pairs of collect_flows().
    void scan(engine::StateScan& scan);

    void scan_port(engine::StateScan& scan, std::uint32_t port) { send_queues_.scan(scan, port); }

    /// Packets of queue pairs only.
    void scan_packet(engine::StateScan& scan, EthernetPacket& packet);

    /// How many times the period between two equal samples happens again before a message is about
    /// to end; 0 where nothing moves. `present` is of the current state.
    std::int64_t periods_left(const engine::StateSample& earlier,
                              const engine::StateSample& present) const;

    /// Starts or stops recording restarts of timeouts.
    void note_restarts(bool wanted) { timers_.note(wanted); }

    /// The state was advanced by `periods`: moves the timers. `earlier`: sample of when
    /// note_restarts() began; `present`: an equal one, of when the state was advanced.
    void move_timers(const engine::StateSample& earlier, const engine::StateSample& present,
                     std::int64_t periods) {
        timers_.move(flows_, earlier, present, periods);
    }

    /// The clock has switched to another event queue: schedules the timers there.
    void reschedule_timers() { timers_.reschedule(flows_); }

private:
    void scan_pair(engine::StateScan& scan, std::uint32_t number);

    /// `pair`: `expected` is not advanced yet.
    void scan_sender(engine::StateScan& scan, QueuePair& pair,
                     const engine::FlowProgress& progress) const;

    /// `pair`: `expected` is not advanced yet.
    void scan_receiver(engine::StateScan& scan, QueuePair& pair,
                       const engine::FlowProgress& progress) const;

    /// Selective repeat. `pair`: `acknowledged` is not advanced yet.
    static void scan_selective(engine::StateScan& scan, QueuePair& pair,
                               const engine::FlowProgress& progress);

    engine::FlowProgress progress_of(std::uint32_t number) const {
        return {pairs_[number].expected, number < steps_.size() ? steps_[number] : 0};
    }

    topology::TransportKind kind_;
    std::int64_t notification_interval_;  ///< least time between two notifications, in picoseconds
    QueuePairTable& pairs_;
    const TransportMessages& messages_;
    SendQueues& send_queues_;
    RetransmissionTimers& timers_;
    std::vector<std::uint32_t> flows_;  ///< queue pairs that scan() covers
    std::vector<std::uint64_t> steps_;  ///< by queue pair: packets it is advanced by
};

}  // namespace npunet::packet

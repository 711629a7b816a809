#pragma once

#include "packet/base/ethernet_packet.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/retransmission_timers.h"
#include "packet/transport/send_queues.h"
#include "packet/transport/transport_messages.h"

#include "engine/state_scan.h"
#include "topology/network_description.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Packet trains (PeriodicTransport) on the part of the transport: goes through what decides how
/// the queue pairs with messages under way go on, and moves it on by periods.
class TransportStateScan {
public:
    /// @param packet parameters of the packet level
    /// @param pairs the queue pairs; must outlive this
    /// @param messages those under way; must outlive this
    /// @param lines where queue pairs wait for their turn; must outlive this
    /// @param timers their timeouts; must outlive this
    TransportStateScan(const topology::PacketParameters& packet, QueuePairTable& pairs,
                       const TransportMessages& messages, SendQueues& lines,
                       RetransmissionTimers& timers)
        : kind_(packet.transport.kind),
          notification_interval_(needs_of(packet.congestion_control).notification_interval),
          pairs_(pairs),
          messages_(messages),
          lines_(lines),
          timers_(timers) {}

    /// From now on scan() goes through the queue pairs with messages under way.
    /// @return words that were looked at
    std::size_t collect_flows();

    /// Moving: what is to be known before any packet is moved on.
    /// @param scan of the whole network
    void prepare_move(engine::StateScan& scan);

    /// @param scan of the whole network; all queue pairs of collect_flows()
    void scan(engine::StateScan& scan);

    /// @param scan of the whole network
    /// @param port number of a port of an NPU
    void scan_port(engine::StateScan& scan, std::uint32_t port) { lines_.scan(scan, port); }

    /// @param scan of the whole network
    /// @param packet of a queue pair
    void scan_packet(engine::StateScan& scan, EthernetPacket& packet);

    /// @param earlier a sample
    /// @param present one that equals it, of the state as it is
    /// @return how many times what is between them happens again before a message is about to end;
    /// 0
    ///         where nothing moves
    std::int64_t periods_left(const engine::StateSample& earlier,
                              const engine::StateSample& present) const;

    /// Begins to note when timeouts begin anew, or ceases to.
    /// @param wanted whether they are noted
    void note_restarts(bool wanted) { timers_.note(wanted); }

    /// The state was moved on: where the timers are that run since note_restarts().
    /// @param earlier a sample of when that was
    /// @param present one that equals it, of when the state was moved on
    /// @param periods by how many
    void move_timers(const engine::StateSample& earlier, const engine::StateSample& present,
                     std::int64_t periods) {
        timers_.move(flows_, earlier, present, periods);
    }

    /// The clock has another queue of events: those of timers are scheduled there.
    void schedule_timers_anew() { timers_.schedule_anew(flows_); }

private:
    /// @param scan of the whole network
    /// @param number of a queue pair
    void scan_pair(engine::StateScan& scan, std::uint32_t number);

    /// @param scan of the whole network
    /// @param pair a queue pair whose Expected number is not moved on yet
    /// @param progress of the queue pair
    void scan_sender(engine::StateScan& scan, QueuePair& pair,
                     const engine::FlowProgress& progress) const;

    /// @param scan of the whole network
    /// @param pair a queue pair whose Expected number is not moved on yet
    /// @param progress of the queue pair
    void scan_receiver(engine::StateScan& scan, QueuePair& pair,
                       const engine::FlowProgress& progress) const;

    /// Selective repeat.
    /// @param scan of the whole network
    /// @param pair a queue pair whose Acknowledged number is not moved on yet
    /// @param progress of the queue pair
    static void scan_selective(engine::StateScan& scan, QueuePair& pair,
                               const engine::FlowProgress& progress);

    /// @param number of a queue pair
    /// @return its progress
    engine::FlowProgress progress_of(std::uint32_t number) const {
        return {pairs_[number].expected, number < steps_.size() ? steps_[number] : 0};
    }

    topology::TransportKind kind_;        ///< what is done about losses
    std::int64_t notification_interval_;  ///< least time between two notifications, in picoseconds
    QueuePairTable& pairs_;               ///< the queue pairs
    const TransportMessages& messages_;   ///< those under way
    SendQueues& lines_;                   ///< where queue pairs wait for their turn
    RetransmissionTimers& timers_;        ///< their timeouts
    std::vector<std::uint32_t> flows_;    ///< what scan() goes through
    std::vector<std::uint64_t> steps_;    ///< by queue pair, while it moves
};

}  // namespace npunet::packet

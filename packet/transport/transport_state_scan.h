/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_QUEUE_PAIR_SCAN_H
#define NPU_QUEUE_PAIR_SCAN_H

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

namespace npunet::packet
{

/**
 * @ingroup npunet
 * Packet trains (EthernetTrains) on the part of the transport: goes through what decides how the
 * queue pairs with messages under way go on, and moves it on by periods.
 */
class QueuePairScan
{
  public:
    /**
     * @param packet parameters of the packet level
     * @param pairs the queue pairs; must outlive this
     * @param messages those under way; must outlive this
     * @param lines where queue pairs wait for their turn; must outlive this
     * @param timers their timeouts; must outlive this
     */
    QueuePairScan(const topology::PacketParameters& packet,
                  PairTable& pairs,
                  const TransportMessages& messages,
                  SendLines& lines,
                  RetransmissionTimers& timers)
        : m_kind(packet.transport.kind),
          m_notificationInterval(NeedsOf(packet.congestion_control).notificationInterval),
          m_pairs(pairs), m_messages(messages), m_lines(lines), m_timers(timers)
    {
    }

    /**
     * From now on Scan() goes through the queue pairs with messages under way.
     * @return words that were looked at
     */
    std::size_t CollectFlows();

    /**
     * Moving: what is to be known before any packet is moved on.
     * @param scan of the whole network
     */
    void PrepareMove(engine::StateScan& scan);

    /**
     * @param scan of the whole network; all queue pairs of CollectFlows()
     */
    void Scan(engine::StateScan& scan);

    /**
     * @param scan of the whole network
     * @param port number of a port of an NPU
     */
    void
    ScanPort(engine::StateScan& scan, std::uint32_t port)
    {
        m_lines.Scan(scan, port);
    }

    /**
     * @param scan of the whole network
     * @param packet of a queue pair
     */
    void ScanPacket(engine::StateScan& scan, EthernetPacket& packet);

    /**
     * @param earlier a sample
     * @param present one that equals it, of the state as it is
     * @return how many times what is between them happens again before a message is about to end; 0
     *         where nothing moves
     */
    std::int64_t PeriodsLeft(const engine::StateSample& earlier,
                             const engine::StateSample& present) const;

    /**
     * Begins to note when timeouts begin anew, or ceases to.
     * @param wanted whether they are noted
     */
    void
    NoteRestarts(bool wanted)
    {
        m_timers.Note(wanted);
    }

    /**
     * The state was moved on: where the timers are that run since NoteRestarts().
     * @param earlier a sample of when that was
     * @param present one that equals it, of when the state was moved on
     * @param periods by how many
     */
    void
    MoveTimers(const engine::StateSample& earlier,
               const engine::StateSample& present,
               std::int64_t periods)
    {
        m_timers.Move(m_flows, earlier, present, periods);
    }

    /// The clock has another queue of events: those of timers are scheduled there.
    void
    ScheduleTimersAnew()
    {
        m_timers.ScheduleAnew(m_flows);
    }

  private:
    /**
     * @param scan of the whole network
     * @param number of a queue pair
     */
    void ScanPair(engine::StateScan& scan, std::uint32_t number);

    /**
     * @param scan of the whole network
     * @param pair a queue pair whose Expected number is not moved on yet
     * @param progress of the queue pair
     */
    void ScanSender(engine::StateScan& scan,
                    QueuePair& pair,
                    const engine::FlowProgress& progress) const;

    /**
     * @param scan of the whole network
     * @param pair a queue pair whose Expected number is not moved on yet
     * @param progress of the queue pair
     */
    void ScanReceiver(engine::StateScan& scan,
                      QueuePair& pair,
                      const engine::FlowProgress& progress) const;

    /**
     * Selective repeat.
     * @param scan of the whole network
     * @param pair a queue pair whose Acknowledged number is not moved on yet
     * @param progress of the queue pair
     */
    static void ScanSelective(engine::StateScan& scan,
                              QueuePair& pair,
                              const engine::FlowProgress& progress);

    /**
     * @param number of a queue pair
     * @return its progress
     */
    engine::FlowProgress
    ProgressOf(std::uint32_t number) const
    {
        return {m_pairs[number].expected, number < m_steps.size() ? m_steps[number] : 0};
    }

    topology::TransportKind m_kind;      ///< what is done about losses
    std::int64_t m_notificationInterval; ///< least time between two notifications, in picoseconds
    PairTable& m_pairs;                  ///< the queue pairs
    const TransportMessages& m_messages; ///< those under way
    SendLines& m_lines;                  ///< where queue pairs wait for their turn
    RetransmissionTimers& m_timers;      ///< their timeouts
    std::vector<std::uint32_t> m_flows;  ///< what Scan() goes through
    std::vector<std::uint64_t> m_steps;  ///< by queue pair, while it moves
};

} // namespace npunet::packet

#endif /* NPU_QUEUE_PAIR_SCAN_H */

// Where queue pairs wait until the port by which they send takes one of their packets: a send queue
// for each port of an NPU and each traffic class, served round robin (SendRoundRobin). A queue pair
// leaves its queue if, when it is to be served, its window has closed or its start was postponed.
#pragma once

#include "packet/base/constants.h"
#include "packet/transport/queue_pair_table.h"
#include "packet/transport/send_round_robin.h"
#include "packet/transport/send_window.h"
#include "packet/transport/transport_wire.h"

#include "engine/clock/state_scan.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

class SendQueues {
public:
    /// `links`: of the network; `full_wire`: bytes of a full packet on the wire. Window and pairs
    /// must outlive this.
    SendQueues(std::size_t links, std::uint32_t classes, const TransportNetwork& network,
               std::int64_t full_wire, const SendWindow& window, QueuePairTable& pairs)
        : classes_(classes),
          network_(network),
          full_wire_(full_wire),
          window_(window),
          pairs_(pairs),
          round_robins_(links * classes) {}

    /// `number`: a queue pair that may send and is in no send queue.
    void join(std::uint32_t number);

    /// Whether a packet that starts at the port may be sent now. `now` in picoseconds.
    bool has_packet(std::uint32_t port, std::uint32_t traffic_class, std::int64_t now) {
        SendRoundRobin& round_robin = round_robins_[port * classes_ + traffic_class];
        round_robin.join_those_due(pairs_.all(), now);
        while (round_robin.first() != none && !may_send(pairs_[round_robin.first()], now)) {
            const std::uint32_t number = round_robin.first();
            round_robin.leave(pairs_.all());
            if (window_.may_send(pairs_[number])) {
                round_robin.wait(pairs_.all(), number);
            }
        }
        return round_robin.first() != none;
    }

    /// Requires has_packet(). Whether the queue pair to be served is one of datagrams.
    bool brings_datagram(std::uint32_t port, std::uint32_t traffic_class) const {
        return pairs_[round_robins_[port * classes_ + traffic_class].first()].datagrams;
    }

    /// Requires has_packet(). Returns the queue pair to be served, which leaves the queue.
    std::uint32_t take_first(std::uint32_t port, std::uint32_t traffic_class) {
        SendRoundRobin& round_robin = round_robins_[port * classes_ + traffic_class];
        const std::uint32_t number = round_robin.first();
        round_robin.leave(pairs_.all());
        return number;
    }

    /// When the earliest start of a waiting queue pair is, in picoseconds, or never.
    std::int64_t next_time(std::uint32_t port, std::uint32_t traffic_class) const {
        return round_robins_[port * classes_ + traffic_class].next_time();
    }

    /// Whether a queue pair waits to send, now or at a later time.
    bool any_waits(std::uint32_t port, std::uint32_t traffic_class) const {
        const SendRoundRobin& round_robin = round_robins_[port * classes_ + traffic_class];
        return round_robin.first() != none || round_robin.next_time() != never;
    }

    /// Removes all queue pairs. Returns their numbers, in the order of the queues.
    std::vector<std::uint32_t> empty();

    void scan(engine::StateScan& scan, std::uint32_t port);

private:
    /// For a queue pair in a queue: its window may have closed meanwhile, or its start been
    /// postponed.
    bool may_send(const QueuePair& pair, std::int64_t now) const {
        return pair.next_start <= now && window_.may_send(pair);
    }

    std::uint32_t classes_;
    TransportNetwork network_;
    std::int64_t full_wire_;  ///< bytes of a full packet on the wire
    const SendWindow& window_;
    QueuePairTable& pairs_;
    std::vector<SendRoundRobin> round_robins_;  ///< by port and class
};

}  // namespace npunet::packet

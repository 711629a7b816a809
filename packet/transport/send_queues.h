#pragma once

#include "packet/transport/queue_pair_table.h"
#include "packet/transport/send_round_robin.h"
#include "packet/transport/send_window.h"
#include "packet/transport/transport_wire.h"

#include "engine/state_scan.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// Where queue pairs wait until the port by which they send takes a packet of theirs: a line for
/// each port of an NPU and each traffic class (SendRoundRobin). One whose window has closed when
/// its turn comes, or that has been put off, leaves the line.
class SendQueues {
public:
    /// @param links of the network
    /// @param classes traffic classes
    /// @param network below
    /// @param full_wire bytes of a full packet on the wire
    /// @param window when queue pairs may send; must outlive this
    /// @param pairs the queue pairs; must outlive this
    SendQueues(std::size_t links, std::uint32_t classes, const TransportNetwork& network,
               std::int64_t full_wire, const SendWindow& window, QueuePairTable& pairs)
        : classes_(classes),
          network_(network),
          full_wire_(full_wire),
          window_(window),
          pairs_(pairs),
          turns_(links * classes) {}

    /// @param number of a queue pair whose next packet stands nowhere, though it may be sent
    void join(std::uint32_t number);

    /// @param port number of a port of an NPU
    /// @param traffic_class a class
    /// @param now in picoseconds
    /// @return whether a packet that starts here may be sent
    bool has_packet(std::uint32_t port, std::uint32_t traffic_class, std::int64_t now) {
        SendRoundRobin& turns = turns_[port * classes_ + traffic_class];
        turns.join_those_due(pairs_.all(), now);
        while (turns.first() != none && !may_send(pairs_[turns.first()], now)) {
            const std::uint32_t number = turns.first();
            turns.leave(pairs_.all());
            if (window_.may_send(pairs_[number])) {
                turns.wait(pairs_.all(), number);
            }
        }
        return turns.first() != none;
    }

    /// @param port for which has_packet() holds
    /// @param traffic_class for which it holds
    /// @return number of the queue pair whose turn it is; it stands nowhere from now on
    std::uint32_t take_first(std::uint32_t port, std::uint32_t traffic_class) {
        SendRoundRobin& turns = turns_[port * classes_ + traffic_class];
        const std::uint32_t number = turns.first();
        turns.leave(pairs_.all());
        return number;
    }

    /// @param port number of a port of an NPU
    /// @param traffic_class a class
    /// @return when the next of those whose time has not come yet may be sent, or never
    std::int64_t next_time(std::uint32_t port, std::uint32_t traffic_class) const {
        return turns_[port * classes_ + traffic_class].next_time();
    }

    /// @param port number of a port of an NPU
    /// @param traffic_class a class
    /// @return whether a queue pair waits to send by it, now or later
    bool any_waits(std::uint32_t port, std::uint32_t traffic_class) const {
        const SendRoundRobin& turns = turns_[port * classes_ + traffic_class];
        return turns.first() != none || turns.next_time() != never;
    }

    /// All queue pairs leave their lines.
    /// @return their numbers, in the order of the lines
    std::vector<std::uint32_t> empty();

    /// @param scan of the whole network
    /// @param port number of a port of an NPU
    void scan(engine::StateScan& scan, std::uint32_t port);

private:
    /// @param pair a queue pair in its line
    /// @param now in picoseconds
    /// @return whether it may still send: its window may have closed meanwhile, or it was put off
    bool may_send(const QueuePair& pair, std::int64_t now) const {
        return pair.next_start <= now && window_.may_send(pair);
    }

    std::uint32_t classes_;              ///< traffic classes
    TransportNetwork network_;           ///< below
    std::int64_t full_wire_;             ///< bytes of a full packet on the wire
    const SendWindow& window_;           ///< when queue pairs may send
    QueuePairTable& pairs_;              ///< the queue pairs
    std::vector<SendRoundRobin> turns_;  ///< by port and class
};

}  // namespace npunet::packet

#pragma once

#include "packet/base/queue_histogram.h"
#include "packet/credit/link_transmission.h"
#include "packet/credit/network_state.h"

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/network.h"
#include "topology/network_description.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace npunet::packet {

/// What is counted of links and told of queues: how much waited, for how long, how long ports were
/// without credit. Nothing here decides how packets go on.
///
/// Times in picoseconds.
class CreditStatistics {
public:
    /// @param description says whether histograms are asked for
    /// @param state of the ports; must outlive this
    /// @param links how packets cross them; must outlive this
    CreditStatistics(const topology::NetworkDescription& description, CreditNetworkState& state,
                     const CreditLinks& links);

    CreditStatistics(const CreditStatistics&) = delete;
    CreditStatistics& operator=(const CreditStatistics&) = delete;

    /// @return whether something is kept for every packet that waits
    bool has_histograms() const { return !histograms_.empty(); }

    /// A packet joins a queue.
    /// @param port_number of the queue
    /// @param wire bytes of the packet
    /// @param ready when it begins to wait
    void join(std::uint32_t port_number, std::uint32_t wire, std::int64_t ready) {
        if (!histograms_.empty()) {
            histograms_[port_number].arrive(ready, wire);
        }
        if (state_.observer != nullptr) {
            state_.observer->packet_queued(LinkId(std::size_t{port_number}), Bytes(wire),
                                           Time::ps(ready));
        }
    }

    /// The head of a queue of packets leaves by its link.
    /// @param port_number of the queue
    /// @param wire bytes of the packet
    /// @param now in picoseconds
    void leave(std::uint32_t port_number, std::uint32_t wire, std::int64_t now) {
        if (!histograms_.empty()) {
            histograms_[port_number].depart(now, wire);
        }
    }

    /// A packet leaves a queue to take another way.
    /// @param port_number of the queue
    /// @param wire bytes of the packet
    /// @param at when it ceases to wait
    void give_up(std::uint32_t port_number, std::uint32_t wire, std::int64_t at);

    /// A port is about to choose: finds out how much waits there.
    /// @param port the port
    /// @param now in picoseconds
    void count_arrived(CreditPort& port, std::int64_t now) {
        if (port.queued > port.max_queue) {
            count_more(port, now);
        }
    }

    /// Counts how long the port has waited for credit, before it sends again.
    /// @param port_number the port
    /// @param now in picoseconds
    void count_stall(std::uint32_t port_number, std::int64_t now);

    /// @return CreditNetwork::link_use()
    std::vector<engine::LinkUse> use() const;

    /// @return packets that have crossed a link, all links together
    std::uint64_t hops() const;

    /// @param link a link
    /// @param function called as PacketObserver::packet_queued() for every packet that waits for
    /// the
    ///                 link or is on its way to wait for it
    void list_queued(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function) const;

private:
    /// @copydoc count_arrived
    void count_more(CreditPort& port, std::int64_t now);

    /// @param turns a list that is not empty
    /// @return when the first of its messages came to wait there
    std::int64_t first_of(const RoundRobinList& turns);

    CreditNetworkState& state_;               ///< of the ports
    const CreditLinks& links_;                ///< how packets cross them
    std::vector<QueueHistogram> histograms_;  ///< by link, where they are asked for
};

}  // namespace npunet::packet

// What is counted of links and reported of queues: how much waited, for how long, and how long
// ports lacked credit. Nothing here affects packets.
//
// Times in picoseconds.
#pragma once

#include "packet/base/queue_histogram.h"
#include "packet/credit/link_transmission.h"
#include "packet/credit/network_state.h"

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace npunet::packet {

class CreditStatistics {
public:
    /// The description says whether histograms are requested. `state` and `links` must outlive
    /// this.
    CreditStatistics(const topology::NetworkDescription& description, CreditNetworkState& state,
                     const CreditLinks& links);

    CreditStatistics(const CreditStatistics&) = delete;
    CreditStatistics& operator=(const CreditStatistics&) = delete;

    /// Whether every queued packet is recorded.
    bool has_histograms() const { return histograms_.are_kept(); }

    /// A packet joins a queue and waits from `ready` on.
    void join(std::uint32_t port_number, std::uint32_t wire, std::int64_t ready) {
        histograms_.arrive(port_number, ready, wire);
        if (state_.observer != nullptr) {
            state_.observer->packet_queued(LinkId(std::size_t{port_number}), Bytes(wire),
                                           Time::ps(ready));
        }
    }

    /// The head of a queue of packets leaves by its link.
    void leave(std::uint32_t port_number, std::uint32_t wire, std::int64_t now) {
        histograms_.depart(port_number, now, wire);
    }

    /// A packet leaves a queue to be rerouted, and no longer waits from `at` on.
    void give_up(std::uint32_t port_number, std::uint32_t wire, std::int64_t at);

    /// Before a decision of the port: counts how much waits there.
    void count_arrived(CreditPort& port, std::int64_t now) {
        if (port.queued > port.max_queue) {
            count_more(port, now);
        }
    }

    /// Before the port sends again: counts how long it has waited for credit.
    void count_stall(std::uint32_t port_number, std::int64_t now);

    /// CreditNetwork::link_use()
    std::vector<engine::LinkUse> use() const;
    engine::LinkUse use_of(std::size_t link) const;

    /// CreditNetwork::packet_hops()
    std::uint64_t hops() const;

    /// CreditNetwork::list_queued()
    void list_queued(LinkId link, const std::function<void(LinkId, Bytes, Time)>& function) const;

private:
    void count_more(CreditPort& port, std::int64_t now);

    /// When the first message of a send queue that is not empty joined it.
    std::int64_t first_of(const RoundRobinList& send_queue);

    CreditNetworkState& state_;
    const CreditLinks& links_;
    QueueHistograms histograms_;
};

}  // namespace npunet::packet

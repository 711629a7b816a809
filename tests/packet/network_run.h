// A run of a plan on a packet network of either kind.
//
//     const CreditRun run(description, {message(0, 1, 4096)});
//     EXPECT_EQ(run.delivered(0), Time::ns(1582));
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "engine/clock/event_queue.h"
#include "packet/credit/credit_network.h"
#include "packet/ethernet/ethernet_network.h"
#include "topology/network/network_description.h"
#include "traffic.h"

namespace npunet::packet_test {

/// Inserts simultaneous events in random order, unless the seed is 0.
inline engine::EventQueue& shuffled(engine::EventQueue& queue, std::uint64_t seed) {
    if (seed != 0) {
        queue.shuffle_insertions(seed);
    }
    return queue;
}

/// The network must outlive the run, the plan need not.
template <class NetworkType>
struct NetworkRun {
    NetworkRun(const topology::NetworkDescription& network, const Plan& plan,
               std::uint64_t shuffle_seed = 0)
        : graph(network.graph),
          machine(network, shuffled(queue, shuffle_seed)),
          traffic(plan, queue, machine) {
        try {
            queue.run();
        } catch (const StallError& error) {
            deadlock = error.what();
            if (deadlock.find("deadlock: these links are paused") == std::string::npos) {
                throw;
            }
        }
    }
    /// By other routes than those of the network.
    NetworkRun(const topology::NetworkDescription& network, packet::RouteFunction route,
               const Plan& plan)
        : graph(network.graph),
          machine(network, std::move(route), queue),
          traffic(plan, queue, machine) {
        queue.run();
    }

    NetworkRun(const topology::NetworkDescription&& network, const Plan& plan,
               std::uint64_t shuffle_seed = 0) = delete;

    [[nodiscard]] const std::vector<Outcome>& outcomes() const { return traffic.outcomes(); }
    [[nodiscard]] Time delivered(std::size_t message) const {
        return outcomes()[message].delivered;
    }
    /// When each message was delivered.
    [[nodiscard]] std::vector<Time> delivered() const {
        std::vector<Time> times;
        for (const Outcome& outcome : outcomes()) {
            times.push_back(outcome.delivered);
        }
        return times;
    }
    /// When the last one was.
    [[nodiscard]] Time finish() const { return latest_delivery(outcomes()); }

    [[nodiscard]] engine::LinkUse use(int from, int to) const {
        return machine.link_use()[graph.find_link(NodeId(from), NodeId(to)).index()];
    }
    /// What all links report, added up.
    [[nodiscard]] engine::LinkUse sum() const {
        engine::LinkUse total{};
        for (const engine::LinkUse& use : machine.link_use()) {
            total.payload += use.payload;
            total.wire += use.wire;
            total.packets += use.packets;
            total.retransmissions += use.retransmissions;
            total.pauses += use.pauses;
            total.marked += use.marked;
            total.drops += use.drops;
        }
        return total;
    }
    [[nodiscard]] std::string transcript() const {
        return packet_test::transcript(traffic, machine);
    }

    [[nodiscard]] std::string transcript_with_stalls(const std::string& more = "") const {
        return packet_test::transcript_with_stalls(outcomes(), machine.link_use(),
                                                   machine.packet_hops(), more);
    }

    const topology::Graph& graph;
    engine::EventQueue queue;
    NetworkType machine;
    Traffic traffic;
    std::string deadlock;  ///< what ended the run, if pauses that wait for each other did
};

/// Every message was delivered once, and reported as sent no earlier than that.
template <class NetworkType>
void expect_everything_once(const NetworkRun<NetworkType>& run, const Plan& plan) {
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const Outcome& outcome = run.outcomes()[i];
        ASSERT_EQ(outcome.deliveries, 1) << "message " << i;
        if (plan[i].wants_sent) {
            ASSERT_GE(outcome.sent, outcome.delivered) << "message " << i;
        }
    }
}

/// The queue pair that gave up, and when.
inline std::string who_gave_up(const StallError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find(')'));
}

/// The transcript of a run (transcript_with_stalls()) or, where a queue pair gave up, when and
/// which.
template <class NetworkType>
std::string told_by(const topology::NetworkDescription& network, const Plan& plan,
                    std::uint64_t shuffle_seed = 0) {
    try {
        const NetworkRun<NetworkType> run(network, plan, shuffle_seed);
        return run.transcript_with_stalls();
    } catch (const StallError& error) {
        return who_gave_up(error);
    }
}

using CreditRun = NetworkRun<packet::CreditNetwork>;
using EthernetRun = NetworkRun<packet::EthernetNetwork>;

}  // namespace npunet::packet_test

// Runs of a plan on a network with Ethernet-like switches.
#pragma once

#include <random>

#include "packet/ethernet/ethernet_network.h"
#include "topology/network/network_description.h"
#include "traffic.h"

namespace npunet::packet_test {

struct EthernetRun {
    EthernetRun(const topology::NetworkDescription& network, const Plan& plan,
                std::uint64_t shuffle_seed = 0)
        : machine(network, shuffled(queue, shuffle_seed)), traffic(plan, queue, machine) {
        queue.run();
    }
    static engine::EventQueue& shuffled(engine::EventQueue& queue, std::uint64_t seed) {
        if (seed != 0) {
            queue.shuffle_insertions(seed);
        }
        return queue;
    }
    [[nodiscard]] Time delivered(std::size_t message) const {
        return traffic.outcomes()[message].delivered;
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

    engine::EventQueue queue;
    packet::EthernetNetwork machine;
    Traffic traffic;
};

/// Flow control, transport, congestion control, buffers and errors drawn at random; `loses`: with
/// errors on links, or buffers that are too small.
void draw_ethernet(topology::NetworkDescription& network, bool loses, std::mt19937_64& random);

}  // namespace npunet::packet_test

// Creates packet-level networks: --fidelity packet.
//
//     EventQueue queue;
//     std::unique_ptr<engine::Network> network = make_packet_network(description, queue);
//     ...
//     network->run(queue);
//
// The ns-3 module drives the same networks from ns-3's simulator.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/clock/event_queue.h"
#include "engine/network/network.h"
#include "packet/base/packet_network.h"
#include "topology/network/network_description.h"
#include "topology/network/packet_checks.h"

namespace npunet {

/// How packets are simulated; no option changes results.
struct PacketOptions {
    static constexpr std::size_t most_threads = 64;

    /// Fast-forward of periodic traffic (docs/models.md, "Fast-forward"); in study/ also of
    /// collectives that take as long as earlier ones, where the network tells when it is idle.
    bool fast_forward = true;
    /// 1 to most_threads (docs/models.md, "Threads").
    std::size_t threads = 1;
};

/// Description and queue must outlive the network. Throws InputError for invalid packet parameters.
[[nodiscard]] std::unique_ptr<engine::Network> make_packet_network(
    const topology::NetworkDescription& description, engine::EventQueue& queue,
    const PacketOptions& options = PacketOptions());

namespace packet {

/// A CreditNetwork or an EthernetNetwork, by packet.flow_control, or a TieredNetwork where the
/// description has a scale_up, which the ns-3 module can observe and split; without the routers of
/// packet.injection. Description and queue must outlive it.
/// `losses`: as for topology::check_transport(). Throws InputError for invalid packet parameters.
[[nodiscard]] std::unique_ptr<PacketNetwork> make_network(
    const topology::NetworkDescription& description, engine::EventQueue& queue,
    topology::Losses losses = topology::Losses::Refused);

}  // namespace packet

}  // namespace npunet

// The networks of packets behind the interface of all networks: --fidelity packet.
//
//     EventQueue queue;
//     std::unique_ptr<engine::Network> network = make_packet_network(description, queue);
//     ...
//     network->run(queue);
//
// The ns-3 module drives the same networks from ns-3's simulator.
//
// C++17-clean: reached from the ns-3 module.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/event_queue.h"
#include "engine/network.h"
#include "packet/base/packet_network.h"
#include "topology/network_description.h"

namespace npunet {

/// How packets are simulated; none of it changes results.
struct PacketOptions {
    static constexpr std::size_t most_threads = 64;

    /// Packets that follow a pattern are moved together (docs/models.md, "Packet trains").
    bool trains = true;
    /// Threads that move packets at the same time, 1 to most_threads (docs/models.md, "Threads").
    std::size_t threads = 1;
};

/// Description and queue must outlive the network. Throws InputError for packet parameters that
/// cannot work.
[[nodiscard]] std::unique_ptr<engine::Network> make_packet_network(
    const topology::NetworkDescription& description, engine::EventQueue& queue,
    const PacketOptions& options = PacketOptions());

namespace packet {

/// The network that the flow control asks for, to be observed and split by the ns-3 module; without
/// the routers of packet.injection. Description and queue must outlive it. Throws InputError for
/// packet parameters that cannot work.
[[nodiscard]] std::unique_ptr<PacketNetwork> make_network(
    const topology::NetworkDescription& description, engine::EventQueue& queue);

}  // namespace packet

}  // namespace npunet

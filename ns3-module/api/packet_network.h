// The packet fidelity as the rest of the program sees it: no ns-3 header is needed to use it.
//
//     if (packet_fidelity_available()) {
//         EventQueue queue;
//         std::unique_ptr<engine::Network> network = make_packet_network(description, queue);
//         ...
//         network->run(queue);        // ns-3's simulator drives the queue
//     }
//
// Several networks may run one after another in one process, each from time 0.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/event_queue.h"
#include "engine/network.h"
#include "topology/network_description.h"

namespace npunet
{

/// Whether this build has the packet fidelity, that is, whether it was built with ns-3.
[[nodiscard]] bool packet_fidelity_available();

/// How packets are simulated; none of it changes results.
struct PacketOptions
{
    static constexpr std::size_t most_threads = 64;

    /// Packets that follow a pattern are moved together (docs/models.md, "Packet trains").
    bool trains = true;
    /// So many, 1 to most_threads, move packets at the same time (docs/models.md, "Threads").
    std::size_t threads = 1;
};

/// A packet-level network on ns-3. Description and queue must outlive it. Its run() resets ns-3's
/// simulator when it is done. Throws InputError for packet parameters that cannot work, and where
/// the build has no ns-3.
[[nodiscard]] std::unique_ptr<engine::Network> make_packet_network(
    const topology::NetworkDescription& description,
    engine::EventQueue& queue,
    const PacketOptions& options = PacketOptions());

} // namespace npunet

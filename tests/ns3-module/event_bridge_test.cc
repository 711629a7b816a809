// ns-3's simulator as the driver of a packet network.

#include <gtest/gtest.h>
#include <ns3/npu-event-bridge.h>
#include <ns3/simulator.h>

#include <random>

#include "packet/make_packet_network.h"
#include "tests/packet/traffic.h"
#include "topology/builders/builder.h"

namespace npunet::packet_test {
namespace {

topology::NetworkDescription torus() {
    const auto ring = topology::make_dimension(topology::DimensionKind::Ring, 4,
                                               Rate(50'000'000'000), Time::ns(500));
    return topology::make_network({ring, ring});
}

// ns-3's simulator only drives the event queue: it must not change a single time. Several networks
// run one after another in one process.
TEST(PacketNetwork, Ns3ChangesNothing) {
    ns3::NpuEventBridge::UsePicoseconds();
    const topology::NetworkDescription description = torus();
    for (unsigned seed = 0; seed < 5; ++seed) {
        std::mt19937_64 random(seed);
        const Plan plan = make_plan(static_cast<Pattern>(seed), 16, 50'000, 4096, random);

        engine::EventQueue bare_queue;
        const auto bare = make_packet_network(description, bare_queue);
        const Traffic bare_traffic(plan, bare_queue, *bare);
        bare->run(bare_queue);

        engine::EventQueue queue;
        const auto network = make_packet_network(description, queue);
        const Traffic traffic(plan, queue, *network);
        {
            const ns3::NpuEventBridge bridge(queue, ns3::NpuEventBridge::Stride::UNTIL_OTHERS);
            ns3::Simulator::Run();
        }
        ns3::Simulator::Destroy();
        EXPECT_EQ(transcript(traffic, *network), transcript(bare_traffic, *bare));
        EXPECT_EQ(queue.now(), bare_queue.now());
        EXPECT_EQ(queue.handled(), bare_queue.handled());
    }
}

}  // namespace
}  // namespace npunet::packet_test

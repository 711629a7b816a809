// The fluid network with links that are slow, late or down: closed forms, and packets.

#include <gtest/gtest.h>

#include <vector>

#include "analytical/fluid/fluid_network.h"
#include "tests/analytical/traffic_networks.h"
#include "tests/packet/traffic.h"

namespace npunet {
namespace {

using packet_test::message;
using packet_test::Plan;
using topology::DimensionKind;
using topology::Factor;
using topology::LinkFault;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr Time packet = Time::ps(83'200);  // 4160 bytes
constexpr std::int64_t mtu = 4096;
constexpr Factor half{Factor::one / 2};

topology::NetworkDescription line(DimensionKind kind, std::int32_t size) {
    return topology::make_network({topology::make_dimension(kind, size, rate, latency)});
}

LinkId link_between(const topology::NetworkDescription& network, std::int32_t from,
                    std::int32_t to) {
    for (const LinkId link : network.graph.links_from(NodeId(from))) {
        if (network.graph.link(link).to == NodeId(to)) {
            return link;
        }
    }
    ADD_FAILURE() << "no link from " << from << " to " << to;
    return LinkId(0);
}

test::NaiveRun run(const Plan& plan, const topology::NetworkDescription& description) {
    engine::EventQueue queue;
    analytical::FluidNetwork network(description, queue);
    packet_test::Traffic traffic(plan, queue, network);
    queue.run();
    return {traffic.outcomes(), network.link_use()};
}

Time finish(const Plan& plan, const topology::NetworkDescription& description) {
    return test::last_delivery(run(plan, description));
}

// n packets of time P over one link, at half of its rate from t1 to t2: n P + (t2 - t1) / 2.
TEST(FluidFaults, HalfTheRateForAWhile) {
    topology::NetworkDescription network = line(DimensionKind::FullyConnected, 2);
    network.faults.links = {{link_between(network, 0, 1), 20 * packet, 60 * packet, half, Time()}};
    EXPECT_EQ(finish({message(0, 1, 100 * mtu)}, network), 120 * packet + latency);
    // Not long enough to meet the fault, and begun when it is over.
    EXPECT_EQ(finish({message(0, 1, 20 * mtu)}, network), 20 * packet + latency);
    EXPECT_EQ(finish({message(0, 1, 20 * mtu, 60 * packet)}, network), 80 * packet + latency);
    EXPECT_EQ(finish({message(1, 0, 100 * mtu)}, network), 100 * packet + latency);
    const test::NaiveRun busy = run({message(0, 1, 100 * mtu)}, network);
    EXPECT_EQ(busy.links[link_between(network, 0, 1).index()].busy, 120 * packet);
    // Two messages take turns: the same work.
    EXPECT_EQ(finish({message(0, 1, 50 * mtu), message(0, 1, 50 * mtu)}, network),
              120 * packet + latency);
}

// Behind a switch. The second link at half of its rate all the time: (2 n + 1) P + 2 a. From t1 to
// t2, while packets come in at full rate: it has done (t2 - t1) / 2 less, and is busy to the end.
TEST(FluidFaults, ASlowLinkBehindASwitch) {
    topology::NetworkDescription network = line(DimensionKind::Switch, 3);
    const LinkId down = link_between(network, 3, 1);
    const Time first = packet + latency;  // the first packet is at the switch
    network.faults.links = {{down, Time(), Time::max(), half, Time()}};
    EXPECT_EQ(finish({message(0, 1, 100 * mtu)}, network), first + 200 * packet + latency);
    network.faults.links = {{down, first + 20 * packet, first + 60 * packet, half, Time()}};
    EXPECT_EQ(finish({message(0, 1, 100 * mtu)}, network), first + 120 * packet + latency);
    // Two sources keep it busy from the first packets to the end.
    EXPECT_EQ(finish({message(0, 1, 100 * mtu), message(2, 1, 100 * mtu)}, network),
              first + 220 * packet + latency);
    // The other way it is whole.
    EXPECT_EQ(finish({message(1, 0, 100 * mtu)}, network), first + 100 * packet + latency);
    // Twice as fast as before: the first link decides, and the last packet takes half of the time.
    network.faults.links = {{down, Time(), Time::max(), Factor{2 * Factor::one}, Time()}};
    EXPECT_EQ(finish({message(0, 1, 100 * mtu)}, network),
              100 * packet + latency + Time::ps(packet.ps() / 2) + latency);
}

// The last byte pays the latency of the moment at which it leaves.
TEST(FluidFaults, LatencyForAWhile) {
    topology::NetworkDescription network = line(DimensionKind::FullyConnected, 2);
    const LinkId link = link_between(network, 0, 1);
    const Time added = Time::ns(3000);
    network.faults.links = {{link, 20 * packet, 60 * packet, Factor{}, added}};
    EXPECT_EQ(finish({message(0, 1, 19 * mtu)}, network), 19 * packet + latency);
    EXPECT_EQ(finish({message(0, 1, 59 * mtu)}, network), 59 * packet + latency + added);
    EXPECT_EQ(finish({message(0, 1, 200 * mtu)}, network), 200 * packet + latency);
}

}  // namespace
}  // namespace npunet

// The fluid network with links that are slow, late or down: closed forms, and packets.

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

#include "analytical/fluid/fluid_network.h"
#include "base/errors.h"
#include "tests/analytical/fluid_runs.h"
#include "tests/analytical/traffic_networks.h"
#include "tests/packet/traffic.h"
#include "tests/support/refusals.h"

namespace npunet::fluid_faults_test {
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

Time finish(const Plan& plan, const topology::NetworkDescription& description) {
    return test::last_delivery(test::run_fluid(plan, description));
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
    const test::NaiveRun busy = test::run_fluid({message(0, 1, 100 * mtu)}, network);
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

// From 1 to 2 round a ring of three the other route leads over 0, on links that are as fast: what
// is sent there needs a packet and a latency more.
TEST(FluidFaults, OneAlternative) {
    topology::NetworkDescription network = line(DimensionKind::Ring, 3);
    const LinkId direct = link_between(network, 1, 2);
    const LinkId back = link_between(network, 2, 1);
    const auto down = [&](Time at, Time until) {
        network.faults.links = {{direct, at, until, Factor{0}, Time()},
                                {back, at, until, Factor{0}, Time()}};
    };
    down(20 * packet, Time::max());
    // For good: packets that would not be through do not start.
    const Time over_zero = 20 * packet + 80 * packet + latency + packet + latency;
    EXPECT_EQ(finish({message(1, 2, 100 * mtu)}, network), over_zero);
    // It recovers when the rest has gone over 0: what waited is through before.
    down(20 * packet, 200 * packet);
    EXPECT_EQ(finish({message(1, 2, 100 * mtu)}, network), over_zero);
    // It is back when 60 more packets have left: the last 20 take it again, and those over 0 need a
    // packet and a latency more than these, which begin at once.
    down(20 * packet, 80 * packet);
    EXPECT_EQ(finish({message(1, 2, 100 * mtu)}, network), 100 * packet + latency);
    // In the middle of a packet: it stands still until the link is up.
    const Time half_packet = Time::ps(packet.ps() / 2);
    down(20 * packet + half_packet, 200 * packet);
    EXPECT_EQ(finish({message(1, 2, 100 * mtu)}, network), 200 * packet + half_packet + latency);
    // Begun while it is down.
    down(Time(), 200 * packet);
    EXPECT_EQ(finish({message(1, 2, 100 * mtu)}, network), 101 * packet + 2 * latency);
}

// Without an alternative it waits for a link that recovers, and stops with one that does not.
TEST(FluidFaults, NoAlternative) {
    topology::NetworkDescription network = line(DimensionKind::Switch, 3);
    const LinkId down = link_between(network, 3, 1);
    const Time first = packet + latency;
    network.faults.links = {{down, first + 20 * packet, first + 60 * packet, Factor{0}, Time()}};
    EXPECT_EQ(finish({message(0, 1, 100 * mtu)}, network), first + 140 * packet + latency);
    network.faults.links = {{down, first + 20 * packet, Time::max(), Factor{0}, Time()}};
    const auto stalls = [&] { (void)finish({message(0, 1, 100 * mtu)}, network); };
    EXPECT_THAT(test::message_of<StallError>(stalls),
                testing::HasSubstr("is down from 2.247 us on and never comes back"));
    EXPECT_EQ(finish({message(0, 2, 100 * mtu)}, network), first + 100 * packet + latency);
}

// Whatever fails when: all messages arrive, each once, and the order in which events are inserted
// decides nothing. Without a link between two nodes they wait for it.
TEST(FluidFaults, EveryMessageArrivesInAnyOrderOfInsertion) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        std::mt19937_64 random(seed);
        topology::NetworkDescription network = test::random_network(random);
        if (seed % 3 == 0) {
            network.packet.flow_control = topology::FlowControl::Pfc;
            network.packet.transport.kind = topology::TransportKind::GoBackN;
        }
        if (seed % 4 == 0) {
            network.packet.classes.count = 3;
        }
        for (int i = 0; i < 6; ++i) {
            const Time at = Time::ns(static_cast<std::int64_t>(random() % 30'000));
            const Time until = at + Time::ns(static_cast<std::int64_t>(1 + random() % 30'000));
            const auto factor = static_cast<std::int64_t>(random() % 3) * Factor::one / 2;
            const LinkId link(static_cast<std::size_t>(random() % network.graph.links()));
            network.faults.links.push_back({link, at, until, Factor{factor}, Time()});
        }
        const auto npus = static_cast<std::int32_t>(network.graph.npus());
        const Plan plan =
            packet_test::make_plan(test::open_patterns[seed % 4], npus, 100'000, mtu, random);
        const test::NaiveRun result = test::run_fluid(plan, network);
        EXPECT_TRUE(packet_test::all_came_once(result.outcomes)) << "seed " << seed;
        const test::NaiveRun shuffled = test::run_fluid(plan, network, seed);
        for (std::size_t i = 0; i < plan.size(); ++i) {
            EXPECT_EQ(result.outcomes[i].delivered, shuffled.outcomes[i].delivered)
                << "seed " << seed << ", message " << i;
            EXPECT_EQ(result.outcomes[i].sent, shuffled.outcomes[i].sent);
        }
        if (HasFailure()) {
            return;
        }
    }
}

}  // namespace
}  // namespace npunet::fluid_faults_test

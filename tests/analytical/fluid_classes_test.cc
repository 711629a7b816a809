// The fluid network with traffic classes, ports for injection and errors of links: closed forms,
// and shares against a plain version.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "analytical/fluid/class_sharing.h"
#include "analytical/fluid/fluid_network.h"
#include "tests/analytical/fluid_runs.h"
#include "tests/analytical/traffic_networks.h"
#include "tests/packet/traffic.h"
#include "tests/support/draw.h"

namespace npunet::fluid_classes_test {
namespace {

using analytical::Claim;
using analytical::ClassSharer;
using analytical::no_limit;
using analytical::Share;
using analytical::whole_link;
using packet_test::Plan;
using topology::DimensionKind;

constexpr Rate rate(50'000'000'000);
constexpr Time latency = Time::ns(500);
constexpr Time packet = Time::ps(83'200);  // 4160 bytes
constexpr std::int64_t mtu = 4096;

topology::NetworkDescription star(std::int32_t npus) {
    return topology::make_network(
        {topology::make_dimension(DimensionKind::Switch, npus, rate, latency)});
}

packet_test::PlannedMessage message(std::int32_t from, std::int32_t to, std::int64_t packets,
                                    std::uint8_t traffic_class, Time start = Time()) {
    return {NodeId(from), NodeId(to), Bytes(packets * mtu), start, -1, true, traffic_class};
}

void expect_near(Time time, Time expected, const char* what) {
    EXPECT_LE(time, expected + packet) << what;
    EXPECT_LE(expected, time + packet) << what;
}

// n packets of each of two classes to one NPU, from the first packets at its switch on. Weights 3
// and 1: class 0 takes n / (3/4), and both 2 n. Strict: n and 2 n. Equal weights: 2 n both.
// With messages from one source its own link is divided so.
TEST(FluidClasses, ShareALinkByWeights) {
    constexpr std::int64_t n = 300;
    topology::NetworkDescription network = star(4);
    network.packet.classes.count = 2;
    const Time first = packet + latency;
    struct Case {
        std::vector<std::uint8_t> weights;
        std::int64_t packets;
    };
    for (const Case& each : {Case{{3, 1}, 400}, Case{{}, 300}, Case{{1, 1}, 600}}) {
        network.packet.classes.weights = each.weights;
        const auto two =
            test::fluid_deliveries({message(1, 0, n, 0), message(2, 0, n, 1)}, network);
        expect_near(two[0], first + each.packets * packet + latency, "class 0 of two sources");
        expect_near(two[1], first + 2 * n * packet + latency, "class 1 of two sources");
        const auto one =
            test::fluid_deliveries({message(1, 0, n, 0), message(1, 0, n, 1)}, network);
        expect_near(one[0], first + each.packets * packet + latency, "class 0 of one source");
        expect_near(one[1], first + 2 * n * packet + latency, "class 1 of one source");
        // A class without traffic leaves its part to the others.
        const auto alone = test::fluid_deliveries({message(1, 0, n, 1)}, network);
        EXPECT_EQ(alone[0], first + n * packet + latency);
        // Within a class as without classes: the two of class 1 are alike.
        const auto three = test::fluid_deliveries(
            {message(1, 0, n, 0), message(2, 0, n, 1), message(3, 0, n, 1)}, network);
        expect_near(three[1], first + 3 * n * packet + latency, "class 1, one of two");
        expect_near(three[2], first + 3 * n * packet + latency, "class 1, the other");
    }
}

// Class 0 begins while class 1 has the link, and takes it; k packets of class 1 have left.
TEST(FluidClasses, TheLowestClassGoesFirst) {
    topology::NetworkDescription network = star(3);
    network.packet.classes.count = 2;
    const Time first = packet + latency;
    const auto times =
        test::fluid_deliveries({message(1, 0, 100, 1), message(2, 0, 50, 0, 40 * packet)}, network);
    expect_near(times[1], 40 * packet + first + 50 * packet + latency, "class 0");
    expect_near(times[0], first + 150 * packet + latency, "class 1");
}

// Max-min fairness by weights: no class gets more than it wants; one that gets less than that gets,
// by weight, as much as any other; and nothing is left while one wants more.
TEST(FluidClasses, SharesAreFairByWeights) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        test::Draw draw(seed);
        topology::TrafficClasses classes;
        classes.count = static_cast<std::uint8_t>(draw.from_to(2, 8));
        for (int i = 0; i < classes.count; ++i) {
            classes.weights.push_back(static_cast<std::uint8_t>(draw.from_to(1, 100)));
        }
        std::vector<Claim> claims;
        for (std::uint32_t i = 0; i < draw.from_to(1, 10); ++i) {
            const Share demand =
                draw.one_in(3) ? no_limit : draw.from_to(0, whole_link / draw.from_to(1, 8));
            const auto number = static_cast<std::uint32_t>(draw.below(classes.count));
            claims.push_back({i, demand, 0, number});
        }
        ClassSharer(classes).share(claims, whole_link);
        std::vector<double> shares(classes.count);
        std::vector<bool> wants(classes.count);
        double sum = 0;
        for (const Claim& claim : claims) {
            EXPECT_LE(claim.share, claim.demand);
            shares[claim.traffic_class] += static_cast<double>(claim.share);
            sum += static_cast<double>(claim.share);
            if (claim.share < claim.demand) {
                wants[claim.traffic_class] = true;
            }
        }
        const double tiny = 100;
        const double whole = static_cast<double>(whole_link);
        EXPECT_LE(sum, whole);
        for (std::size_t i = 0; i < shares.size(); ++i) {
            for (std::size_t j = 0; j < shares.size() && wants[i]; ++j) {
                EXPECT_GE(shares[i] / classes.weights[i] + tiny, shares[j] / classes.weights[j]);
            }
            if (wants[i]) {
                EXPECT_GE(sum + tiny, whole);
            }
        }
    }
}

// k senders of n packets each to one NPU with a port for ejection at half the rate: it has sent
// 2 k n packets' time, from when the first one is there.
TEST(FluidInjection, AnNpuHasOnePortForAllItReceives) {
    topology::NetworkDescription network = topology::make_network(
        {topology::make_dimension(DimensionKind::FullyConnected, 4, rate, latency)});
    network.packet.injection = Rate(rate.bytes_per_second() / 2);
    const auto times = test::fluid_deliveries(
        {message(1, 0, 100, 0), message(2, 0, 100, 0), message(3, 0, 100, 0)}, network);
    // Stored at two routers, by a port of half the rate and a link.
    const Time first = 2 * packet + packet + latency;
    expect_near(*std::max_element(times.begin(), times.end()), first + 600 * packet, "ejection");
    // One message alone: h + 2 links, of which the first is the slowest.
    const auto alone = test::fluid_deliveries({message(1, 0, 100, 0)}, network);
    EXPECT_EQ(alone[0], 200 * packet + packet + latency + 2 * packet);
}

// One packet in ten is sent again, which takes a packet and two latencies: the mean of n is
// n (P + (P + 2 a) / 9).
TEST(FluidErrors, CostTheirMean) {
    topology::NetworkDescription network = topology::make_network(
        {topology::make_dimension(DimensionKind::FullyConnected, 2, rate, latency)});
    network.packet.error_rate = 0.1;
    const Time again = packet + 2 * latency;
    const auto times = test::fluid_deliveries({message(0, 1, 900, 0)}, network);
    expect_near(times[0], 900 * packet + 100 * again + latency, "mean");
}

}  // namespace
}  // namespace npunet::fluid_classes_test

// What choosing packet by packet is good for, in simulated time: against fixed routes on the
// traffic that is bad for these, and on traffic that is not. Exact results, printed; the bounds are
// stated with each test.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "plan_run.h"
#include "topology/builders/builder.h"
#include "topology/builders/dragonfly.h"
#include "topology/builders/fat_tree.h"
#include "topology/routing/product_routing.h"

namespace npunet::packet_test::multipath_gain_test {
namespace {

using topology::NetworkDescription;

constexpr topology::LinkSpeed speed{Rate(100'000'000'000), Time::ns(5)};

NetworkDescription grid(Shape side, bool adaptive) {
    NetworkDescription network = network_of({side, side});
    if (adaptive) {
        network.multipath = std::make_shared<topology::ProductNextHops>(network.dimensions);
    }
    return network;
}

std::vector<Time> deliveries(const NetworkDescription& network, const Plan& plan) {
    const CreditRun run(network, plan);
    EXPECT_TRUE(all_came_once(run.outcomes()));
    return run.delivered();
}

Time finish(const NetworkDescription& network, const Plan& plan) {
    const std::vector<Time> times = deliveries(network, plan);
    return *std::max_element(times.begin(), times.end());
}

/// How many times as long the first takes as the second.
double gain(const std::string& name, Time first, Time second) {
    const double result = static_cast<double>(first.ps()) / static_cast<double>(second.ps());
    std::cout << name << ": " << first.ps() << " / " << second.ps() << " ps = " << result << '\n';
    return result;
}

// n full packets to the NPU diagonally next door on an idle torus or mesh. The first takes one
// port, the second the other one, at once; from then on whichever is free first. So each port sends
// n / 2 packets, over two links: (n / 2 + 1) ser + 2 latency, against (n + 1) ser + 2 latency.
TEST(MultipathGain, OneMessageUsesBothPorts) {
    for (const Shape side : {ring(8), mesh(8)}) {
        for (const std::int64_t n : {2, 10, 100, 1000}) {
            const Plan plan{packets(0, 9, n)};
            EXPECT_EQ(finish(grid(side, true), plan), (n / 2 + 1) * Time::ns(10) + Time::ns(10));
            EXPECT_EQ(finish(grid(side, false), plan), (n + 1) * Time::ns(10) + Time::ns(10));
        }
    }
}

// Further away the two ports feed paths that may meet. The last link into the destination's row and
// column are two again: never faster than (n / 2 - 1) ser and the 6 hops of one packet, and on an
// idle torus at least 1.5 times as fast as one port allows.
TEST(MultipathGain, OneMessageFurtherAway) {
    constexpr std::int64_t n = 400;
    const Plan plan{packets(0, 27, n)};  // three steps in either dimension
    const Time adaptive = finish(grid(ring(8), true), plan);
    const Time fixed = finish(grid(ring(8), false), plan);
    EXPECT_EQ(fixed, (n + 5) * Time::ns(10) + 6 * latency);
    EXPECT_GE(adaptive, (n / 2 + 5) * Time::ns(10) + 6 * latency);
    EXPECT_GE(gain("one message", fixed, adaptive), 1.5);
}

// Transpose on a mesh of 8 x 8: NPU (x, y) sends to (y, x). In dimension order the seven messages
// of row y that turn into column y do so by one link: 7 messages long. The links out of the lower
// left corner (x + y < k) and what is above them give no better bound than 2 ser a message for the
// adaptive ones: 28 messages cross the diagonal each way by 14 links.
TEST(MultipathGain, TransposeOnAMesh) {
    constexpr int size = 8;
    constexpr std::int64_t n = 64;
    Plan plan;
    for (int x = 0; x < size; ++x) {
        for (int y = 0; y < size; ++y) {
            if (x != y) {
                plan.push_back(packets(y * size + x, x * size + y, n));
            }
        }
    }
    const Time fixed = finish(grid(mesh(size), false), plan);
    const Time adaptive = finish(grid(mesh(size), true), plan);
    EXPECT_GE(fixed, (size - 1) * n * Time::ns(10));
    EXPECT_GE(adaptive, 2 * n * Time::ns(10));
    EXPECT_GE(gain("transpose", fixed, adaptive), 1.3);
}

// A torus of 8 x 8 with a hot link: NPU 0 sends 1000 packets to its neighbour 1 in dimension 0, and
// 100 to NPU 9, which dimension order leads over the same link. There the two take turns, and the
// short message is done after 2 x 100 packets; adaptive packets see that the other port is free:
// all go by NPU 8 but for those that fit between, so about as fast as alone on one port.
TEST(MultipathGain, RoundAHotLink) {
    const Plan plan{packets(0, 1, 1000), packets(0, 9, 100)};
    const std::vector<Time> fixed = deliveries(grid(ring(8), false), plan);
    const std::vector<Time> adaptive = deliveries(grid(ring(8), true), plan);
    EXPECT_EQ(fixed[0], 1100 * Time::ns(10) + latency);
    EXPECT_GE(gain("behind the hot link", fixed[1], adaptive[1]), 1.8);
    EXPECT_LE(adaptive[0], 1010 * Time::ns(10) + latency);
}

// Random permutations on a fat tree of 32 without oversubscription. By hash (ecmp) several messages
// share an up-link or a down-link while others idle; sprayed packets use all alike. No permutation
// is faster than one message alone, and spraying is within 20 % of that on average.
TEST(MultipathGain, SprayOnFatTrees) {
    const topology::FatTreeShape shape{2, 16, 64, {8, 0}, {8, 0}};
    constexpr std::int64_t n = 200;
    std::mt19937_64 random(3);
    Time ecmp;
    Time spray;
    Time adaptive;
    constexpr int rounds = 5;
    for (int round = 0; round < rounds; ++round) {
        const std::vector<int> target = random_cycle(64, random);
        Plan plan;
        for (int npu = 0; npu < 64; ++npu) {
            plan.push_back(packets(npu, target[static_cast<std::size_t>(npu)], n));
        }
        NetworkDescription network = topology::make_fat_tree(shape, {speed, speed});
        network.packet = parameters();
        network.packet.seed = random();
        network.router = std::make_shared<topology::FatTreeRouter>(shape, topology::UpLinks::ByHash,
                                                                   network.packet.seed);
        ecmp += finish(network, plan);
        network.multipath =
            std::make_shared<topology::FatTreeNextHops>(shape, topology::Spread::Spray);
        spray += finish(network, plan);
        network.multipath =
            std::make_shared<topology::FatTreeNextHops>(shape, topology::Spread::Adaptive);
        adaptive += finish(network, plan);
    }
    const Time alone = rounds * ((n + 1) * Time::ns(10) + 2 * latency);
    EXPECT_GE(gain("ecmp to spray", ecmp, spray), 2);
    EXPECT_GE(gain("ecmp to adaptive", ecmp, adaptive), 2);
    EXPECT_LE(gain("spray to one message alone", spray, alone), 1.2);
    EXPECT_LE(gain("adaptive to one message alone", adaptive, alone), 1.2);
}

NetworkDescription dragonfly(const topology::DragonflyShape& shape, bool ugal) {
    NetworkDescription network = topology::make_dragonfly(shape, {speed, speed, speed});
    network.packet = parameters();
    network.packet.virtual_channels = 0;
    if (ugal) {
        network.multipath = std::make_shared<topology::DragonflyNextHops>(shape);
    }
    return network;
}

// The adversary of a balanced dragonfly (a = 2 p = 2 h, one global link between two groups): all
// NPUs of a group send to the next one. Minimal routes have one link for a p messages. A packet
// that goes over a third group uses two global links instead of one, none of them direct: with a
// share m going straight and the rate r of each NPU, the direct link carries a p m r <= 1 and the
// a h - 1 others 2 a p (1 - m) r <= a h - 1 of those of a group. So at best
//     r = 1 / (a p) + (a h - 1) / (2 a p), and the gain is 1 + (a h - 1) / 2.
// With what the source's router alone knows half of it is reached.
TEST(MultipathGain, UgalAgainstTheAdversary) {
    const topology::DragonflyShape shape{4, 2, 2, 9};
    constexpr int in_group = 8;
    constexpr std::int64_t n = 100;
    Plan plan;
    for (int npu = 0; npu < 72; ++npu) {
        plan.push_back(packets(npu, (npu + in_group) % 72, n));
    }
    const Time minimal = finish(dragonfly(shape, false), plan);
    EXPECT_GE(minimal, in_group * n * Time::ns(10));
    const Time ugal = finish(dragonfly(shape, true), plan);
    const double result = gain("adversary", minimal, ugal);
    EXPECT_LE(result, 1 + 7 / 2.0 + 0.1);
    EXPECT_GE(result, (1 + 7 / 2.0) / 2);
}

// All to all, each to the next first: minimal routes are as good as any, and UGAL loses at most 5
// %.
TEST(MultipathGain, UgalOnUniformTraffic) {
    const topology::DragonflyShape shape{4, 2, 2, 9};
    std::mt19937_64 random(9);
    Plan plan;
    for (int npu = 0; npu < 72; ++npu) {
        std::vector<int> others;
        for (int step = 1; step < 72; ++step) {
            others.push_back((npu + step) % 72);
        }
        std::shuffle(others.begin(), others.end(), random);
        for (const int other : others) {
            plan.push_back(packets(npu, other, 4));
        }
    }
    const Time minimal = finish(dragonfly(shape, false), plan);
    const Time ugal = finish(dragonfly(shape, true), plan);
    EXPECT_GE(gain("all to all", minimal, ugal), 0.95);
}

}  // namespace
}  // namespace npunet::packet_test::multipath_gain_test

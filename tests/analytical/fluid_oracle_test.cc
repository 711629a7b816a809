// The fluid network on random networks and traffic, against a plain one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "plain_fluid.h"
#include "tests/analytical/fluid_runs.h"
#include "tests/analytical/traffic_networks.h"
#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"

namespace npunet::fluid_oracle_test {
namespace {

using packet_test::Plan;
using topology::NetworkDescription;

struct Case {
    NetworkDescription network;
    Plan plan;
};

/// Messages of 9 to 40 packets, whole and not, that start at 0 or within half a microsecond. Most
/// cases have few of them, so that it is seen which rule differs; every eighth up to five an NPU.
/// Shorter messages that take turns are sent packet by packet, which the plain network is without.
Case draw_case(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    test::DrawFrom draw(random);
    const bool equal_rates = draw.one_in(3);
    const Rate rate(draw.any_of<std::int64_t>({500'000'000'000, 505'000'000'000}));
    Case drawn{equal_rates ? test::random_network(random, rate) : test::random_network(random), {}};
    topology::PacketParameters& packet = drawn.network.packet;
    packet.mtu = Bytes(draw.any_of<std::int64_t>({4096, 1024, 1500}));
    if (draw.one_in(3)) {
        packet.switching = topology::Switching::CutThrough;
    }
    if (draw.one_in(3)) {
        packet.flow_control = topology::FlowControl::None;
    } else {
        packet.buffer = Bytes(std::int64_t{1} << 40);
    }
    const auto npus = static_cast<std::int64_t>(drawn.network.graph.npus());
    const std::int64_t count =
        seed % 8 == 0 ? draw.from_to(16, 4 * npus + 16) : draw.from_to(2, 15);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t from = draw.below(npus);
        const std::int64_t to = (from + 1 + draw.below(npus - 1)) % npus;
        const std::int64_t whole = draw.from_to(9, 40) * packet.mtu.value();
        const std::int64_t part = draw.one_in(2) ? 0 : draw.below(packet.mtu.value());
        const Time start = Time::ns(draw.one_in(2) ? 0 : draw.below(500));
        drawn.plan.push_back(packet_test::message(static_cast<int>(from), static_cast<int>(to),
                                                  whole - part, start));
    }
    return drawn;
}

/// On its slowest link.
Time longest_packet(const NetworkDescription& network) {
    Time longest;
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        longest = std::max(longest, transfer_time(network.packet.mtu + network.packet.header,
                                                  network.graph.link(LinkId(i)).rate));
    }
    return longest;
}

// The plain network has exact fractions and tells every change of a rate at once. The real one
// rounds shares to 2^-52, tells other rates of queued messages once in the time of a packet and
// from 2^-7 of a rate on, does not share out a link for less than 2^-9 of its time, and does not
// know what a link has passed on of messages that have ended. Where that matters a message takes
// another part of the packets that are in front of it, or another turn. So nearly all are delivered
// at the same time but for the rounding of times, and all within the time of some packets.
TEST(FluidOracle, DeliversWhenThePlainNetworkDoes) {
    constexpr std::int64_t rounding = 30;  // half a picosecond for each event on the way
    const std::uint64_t cases = test::random_cases(200, 2000);
    std::size_t messages = 0;
    std::size_t off = 0;
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        const Case drawn = draw_case(seed);
        const std::vector<Time> real = test::fluid_deliveries(drawn.plan, drawn.network);
        const std::vector<Time> plain = test::run_plain_fluid(drawn.plan, drawn.network);
        const Time bound = 5 * longest_packet(drawn.network);
        messages += real.size();
        for (std::size_t i = 0; i < real.size(); ++i) {
            const std::int64_t difference = std::abs((real[i] - plain[i]).ps());
            ASSERT_LE(difference, bound.ps())
                << "seed " << seed << ", " << drawn.network.name << ", message " << i << ": "
                << real[i].ps() << " and plain " << plain[i].ps() << " ps";
            off += difference > rounding ? 1 : 0;
        }
    }
    EXPECT_LE(off, messages / 30) << "of " << messages << " messages";
    RecordProperty("messages", std::to_string(messages));
    RecordProperty("beyond_rounding", std::to_string(off));
    test::count_cases(cases);
}

}  // namespace
}  // namespace npunet::fluid_oracle_test

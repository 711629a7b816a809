// The closed form of a message that is alone on its route, against its recursion packet by packet.

#include "packet/credit/lone/lone_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/counted_cases.h"
#include "tests/support/draw.h"

namespace npunet::packet_test::lone_profile_test {
namespace {

using packet::LoneLink;
using packet::LonePackets;
using packet::LoneProfile;

/// Times by packet and hop.
struct Recursion {
    std::vector<std::vector<std::int64_t>> start;
    std::vector<std::vector<std::int64_t>> end;
    std::vector<std::vector<std::int64_t>> ready;
    std::vector<std::vector<std::int64_t>> back;
    bool waits = false;  ///< a packet waits for credit
};

std::int64_t time_of(std::int64_t bytes, Rate rate) {
    return transfer_time(Bytes(bytes), rate).ps();
}

std::vector<std::int64_t> sizes(const LonePackets& packets, std::int64_t bytes) {
    std::vector<std::int64_t> wire;
    do {
        const std::int64_t payload = std::min(bytes, packets.mtu);
        wire.push_back(packets.wire(payload));
        bytes -= payload;
    } while (bytes > 0);
    return wire;
}

/// A packet starts when it may leave, the one before it has left, and there is credit.
Recursion recursion(const std::vector<LoneLink>& route, const LonePackets& packets,
                    const std::vector<std::int64_t>& wire) {
    const std::vector<std::int64_t> row(route.size(), 0);
    Recursion result;
    const std::vector<std::vector<std::int64_t>> zero(wire.size(), row);
    result.start = result.end = result.ready = result.back = zero;
    for (std::size_t p = 0; p < wire.size(); ++p) {
        for (std::size_t k = 0; k < route.size(); ++k) {
            if (k > 0) {
                const LoneLink& before = route[k - 1];
                const std::int64_t in = result.end[p][k - 1] + before.latency;
                const std::int64_t header = result.start[p][k - 1] +
                                            time_of(packets.header_bytes, before.rate) +
                                            before.latency;
                result.ready[p][k] = packets.cut_through
                                         ? std::max(header, in - time_of(wire[p], route[k].rate))
                                         : in;
            }
            std::int64_t start = std::max(result.ready[p][k], p > 0 ? result.end[p - 1][k] : 0);
            const auto missing = [&] {
                std::int64_t out = wire[p];
                for (std::size_t q = 0; q < p; ++q) {
                    out += result.back[q][k] > start ? wire[q] : 0;
                }
                return out > route[k].buffer;
            };
            for (std::size_t q = 0; q < p && missing(); ++q) {
                result.waits = true;
                start = std::max(start, result.back[q][k]);
            }
            result.start[p][k] = start;
            result.end[p][k] = start + time_of(wire[p], route[k].rate);
            if (k > 0) {
                result.back[p][k - 1] = result.end[p][k] + route[k - 1].latency;
            }
        }
        result.back[p].back() = result.end[p].back() + 2 * route.back().latency;
    }
    return result;
}

std::int64_t most_waiting(const Recursion& recursion, const std::vector<std::int64_t>& wire,
                          std::size_t starts, std::size_t hop) {
    std::int64_t most = 0;
    for (std::size_t p = 0; hop > 0 && p < starts; ++p) {
        std::int64_t waiting = 0;
        for (std::size_t q = p; q < wire.size(); ++q) {
            waiting += recursion.ready[q][hop] <= recursion.start[p][hop] ? wire[q] : 0;
        }
        most = std::max(most, waiting);
    }
    return most;
}

std::size_t count_until(const std::vector<std::vector<std::int64_t>>& times, std::size_t hop,
                        std::int64_t limit) {
    return static_cast<std::size_t>(
        std::count_if(times.begin(), times.end(),
                      [&](const std::vector<std::int64_t>& row) { return row[hop] < limit; }));
}

// Where the profile is possible no packet waits for credit in the recursion, and all times, counts
// at any time and queues are its own. It is possible with buffers of two packets and two latencies
// more than hops of one rate need.
TEST(LoneProfile, IsTheRecursion) {
    const std::uint64_t cases = test::random_cases(2000, 100'000);
    std::uint64_t possible = 0;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        test::Draw draw(seed);
        LonePackets packets;
        packets.mtu = draw.any_of({1, 100, 1000, 4096});
        packets.header = draw.any_of({0, 16, 64});
        packets.header_bytes = std::max<std::int64_t>(packets.header, 1);
        packets.cut_through = draw.one_in(2);
        std::vector<LoneLink> route(static_cast<std::size_t>(draw.from_to(1, 5)));
        const bool equal = draw.one_in(2);
        for (LoneLink& link : route) {
            link.rate = equal ? Rate(50'000'000'000)
                              : Rate(draw.any_of<std::int64_t>({1'000'000'000, 3'000'000'007,
                                                                50'000'000'000, 900'000'000'000}));
            link.latency = draw.any_of({0, 1, 20'000, 500'000});
            const std::int64_t trip =
                2 * link.latency * link.rate.bytes_per_second() / 1'000'000'000'000;
            link.buffer = draw.any_of({std::int64_t{4}, std::int64_t{3}, std::int64_t{40}}) *
                              packets.wire(packets.mtu) +
                          trip;
        }
        const std::int64_t more = draw.below(packets.mtu + 1);
        const std::int64_t bytes = draw.below(12) * packets.mtu + (draw.one_in(3) ? 0 : more);
        const LoneProfile profile = lone_profile(route, packets, bytes);
        if (!profile.possible) {
            continue;
        }
        ++possible;
        const std::vector<std::int64_t> wire = sizes(packets, bytes);
        const Recursion expected = recursion(route, packets, wire);
        const std::string name = "seed " + std::to_string(seed);
        ASSERT_FALSE(expected.waits) << name;
        ASSERT_EQ(profile.packets, static_cast<std::int64_t>(wire.size())) << name;
        ASSERT_EQ(profile.arrival(), expected.end.back().back() + route.back().latency) << name;
        for (std::size_t k = 0; k < route.size(); ++k) {
            ASSERT_EQ(profile.hops[k].first, expected.start.front()[k]) << name;
            ASSERT_EQ(profile.hops[k].end(), expected.end.back()[k]) << name;
            ASSERT_EQ(profile.hops[k].credit_end, expected.back.back()[k]) << name;
            for (std::size_t p = 0; p < wire.size(); ++p) {
                const auto packet = static_cast<std::int64_t>(p);
                ASSERT_EQ(profile.wire_of(packet), wire[p]) << name;
                ASSERT_EQ(profile.start(packet, k), expected.start[p][k]) << name;
                ASSERT_EQ(profile.end(packet, k), expected.end[p][k]) << name;
                ASSERT_EQ(profile.credit_back(packet, k), expected.back[p][k]) << name;
                ASSERT_EQ(k > 0 ? profile.ready(packet, k) : 0, expected.ready[p][k]) << name;
                for (const std::int64_t more_time : {-1, 0, 1}) {
                    const std::int64_t start = expected.start[p][k] + more_time;
                    const std::int64_t back = expected.back[p][k] + more_time;
                    ASSERT_EQ(static_cast<std::size_t>(profile.started(start, k)),
                              count_until(expected.start, k, start))
                        << name;
                    ASSERT_EQ(static_cast<std::size_t>(profile.returned(back, k)),
                              count_until(expected.back, k, back + 1))
                        << name;
                }
                ASSERT_EQ(profile.most_waiting(packet + 1, k),
                          most_waiting(expected, wire, p + 1, k))
                    << name;
            }
            ASSERT_EQ(profile.hops[k].max_queue, most_waiting(expected, wire, wire.size(), k))
                << name;
        }
    }
    EXPECT_GT(2 * possible, cases / 2);
    test::count_cases(cases);
}

// 2^60 ps are 13 days: longer ones are left to the packets, and so is what waits for credit.
TEST(LoneProfile, IsNotPossible) {
    LonePackets packets;
    packets.mtu = 4096;
    const LoneLink link{Rate(1'000'000'000), 0, 1 << 20};
    EXPECT_TRUE(lone_profile({link}, packets, 1 << 30).possible);
    EXPECT_FALSE(lone_profile({link}, packets, std::int64_t{1} << 60).possible);
    EXPECT_FALSE(lone_profile({{link.rate, 0, 4096}, link}, packets, 8192).possible);
}

}  // namespace
}  // namespace npunet::packet_test::lone_profile_test

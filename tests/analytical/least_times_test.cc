// The least times of collectives, to the picosecond: links of a few bytes a second, so that one
// byte, one byte a second and one rounding each are seen.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/collective_algorithms/lower_bound.h"
#include "topology/builders/builder.h"
#include "topology/yaml/network_reader.h"

namespace npunet {
namespace {

using engine::CollectiveBounds;
using engine::CollectiveKind;

/// ceil(bytes x 10^12 / rate) ps, for products below 2^63.
Time seconds_of(std::int64_t bytes, std::int64_t rate) {
    const std::int64_t picoseconds = bytes * 1'000'000'000'000;
    return Time::ps(picoseconds / rate + (picoseconds % rate == 0 ? 0 : 1));
}

// A ring of 3 with links of 7 B/s and 5 ns, twice, joined by links of 11 B/s and 3 ns. Ranks 0 1 2
// have two ports of 7: r = 14, R = 42. Ranks 0 3 have the port of 11: r = 11, R = 22. All six have
// 25: R = 150.
TEST(LeastTimes, OfGroupsInDimensions) {
    const topology::NetworkDescription network = topology::make_network(
        {topology::make_dimension(topology::DimensionKind::Ring, 3, Rate(7), Time::ns(5)),
         topology::make_dimension(topology::DimensionKind::FullyConnected, 2, Rate(11),
                                  Time::ns(3))});
    CollectiveBounds bounds(network);
    const std::vector<Rank> ring{Rank(0), Rank(1), Rank(2)};
    const std::vector<Rank> pair{Rank(0), Rank(3)};
    const std::vector<Rank> all{Rank(0), Rank(1), Rank(2), Rank(3), Rank(4), Rank(5)};
    const auto least = [&](CollectiveKind kind, const std::vector<Rank>& ranks,
                           std::int64_t bytes) {
        return bounds.least_time(kind, ranks, Bytes(bytes), ranks.front());
    };
    for (std::int64_t bytes = 1; bytes < 200; ++bytes) {
        SCOPED_TRACE(bytes);
        EXPECT_EQ(least(CollectiveKind::AllReduce, ring, bytes),
                  std::max(seconds_of(4 * bytes, 42), seconds_of(bytes, 14)) + Time::ns(5));
        EXPECT_EQ(least(CollectiveKind::AllReduce, pair, bytes),
                  seconds_of(bytes, 11) + Time::ns(3));
        EXPECT_EQ(least(CollectiveKind::AllReduce, all, bytes),
                  seconds_of(10 * bytes, 150) + Time::ns(3));
        EXPECT_EQ(least(CollectiveKind::AllGather, ring, bytes),
                  seconds_of(2 * bytes, 14) + Time::ns(5));
        EXPECT_EQ(least(CollectiveKind::AllGather, all, bytes),
                  seconds_of(5 * bytes, 25) + Time::ns(3));
        // A rank keeps the largest of its parts.
        const std::int64_t leaves_three = bytes - bytes / 3 - (bytes % 3 == 0 ? 0 : 1);
        const std::int64_t leaves_six = bytes - bytes / 6 - (bytes % 6 == 0 ? 0 : 1);
        for (const CollectiveKind kind :
             {CollectiveKind::ReduceScatter, CollectiveKind::AllToAll}) {
            EXPECT_EQ(least(kind, ring, bytes), seconds_of(leaves_three, 14) + Time::ns(5));
            // Three send a part each to three others, over three links of 11.
            const Time across =
                kind == CollectiveKind::AllToAll ? seconds_of(9 * (bytes / 6), 33) : Time();
            EXPECT_EQ(least(kind, all, bytes),
                      std::max(across, seconds_of(leaves_six, 25)) + Time::ns(3));
        }
        for (const CollectiveKind kind : {CollectiveKind::Broadcast, CollectiveKind::Reduce}) {
            EXPECT_EQ(least(kind, ring, bytes), seconds_of(bytes, 14) + Time::ns(5));
            EXPECT_EQ(least(kind, all, bytes), seconds_of(bytes, 25) + Time::ns(3));
        }
        EXPECT_EQ(least(CollectiveKind::Gather, ring, bytes),
                  seconds_of(2 * bytes, 14) + Time::ns(5));
        EXPECT_EQ(least(CollectiveKind::Scatter, ring, bytes),
                  seconds_of(2 * (bytes / 3), 14) + Time::ns(5));
        EXPECT_EQ(least(CollectiveKind::Scatter, all, bytes),
                  seconds_of(5 * (bytes / 6), 25) + Time::ns(3));
    }
    EXPECT_EQ(least(CollectiveKind::Barrier, all, 0), Time::ns(3));
    EXPECT_EQ(least(CollectiveKind::AllReduce, {Rank(4)}, 100), Time());
    EXPECT_EQ(least(CollectiveKind::AllGather, all, std::int64_t{1} << 62), Time::max());
}

// NPU a sends 3 B/s and gets 5, b sends 13 and gets 2, c sends 4 and gets 9: whichever direction
// bounds, the larger rate of each port does not say too much: 5, 13 and 9, R = 27, r = 5.
TEST(LeastTimes, OfPortsWithUnequalDirections) {
    const topology::NetworkDescription network = topology::parse_network(
        "Custom:\n"
        "  nodes: [{name: a, kind: npu}, {name: b, kind: npu}, {name: c, kind: npu}, "
        "{name: s, kind: switch}]\n"
        "  links:\n"
        "    - {from: a, to: s, bandwidth: 3B/s, latency: 10ns, both: false}\n"
        "    - {from: s, to: a, bandwidth: 5B/s, latency: 1ns, both: false}\n"
        "    - {from: b, to: s, bandwidth: 13B/s, latency: 7ns, both: false}\n"
        "    - {from: s, to: b, bandwidth: 2B/s, latency: 1ns, both: false}\n"
        "    - {from: c, to: s, bandwidth: 4B/s, latency: 8ns, both: false}\n"
        "    - {from: s, to: c, bandwidth: 9B/s, latency: 1ns, both: false}\n",
        "three ports");
    CollectiveBounds bounds(network);
    const std::vector<Rank> all{Rank(0), Rank(1), Rank(2)};
    for (std::int64_t bytes = 1; bytes < 100; ++bytes) {
        SCOPED_TRACE(bytes);
        EXPECT_EQ(bounds.least_time(CollectiveKind::AllReduce, all, Bytes(bytes), Rank()),
                  std::max(seconds_of(4 * bytes, 27), seconds_of(bytes, 5)) + Time::ns(7));
        EXPECT_EQ(bounds.least_time(CollectiveKind::AllGather, all, Bytes(bytes), Rank()),
                  seconds_of(2 * bytes, 5) + Time::ns(7));
        EXPECT_EQ(bounds.least_time(CollectiveKind::Gather, all, Bytes(bytes), Rank(1)),
                  seconds_of(2 * bytes, 13) + Time::ns(7));
        EXPECT_EQ(
            bounds.least_time(CollectiveKind::Broadcast, {Rank(1), Rank(2)}, Bytes(bytes), Rank(1)),
            seconds_of(bytes, 9) + Time::ns(7));
    }
}

}  // namespace
}  // namespace npunet

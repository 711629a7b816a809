// What no collective can beat, and what it cannot become: over random networks, algorithms, sizes
// and chunks.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/errors.h"
#include "engine/collective_algorithms/lower_bound.h"
#include "tests/support/collectives.h"

namespace npunet::collective_bounds_test {
namespace {

using chakra::CollectiveType;
using engine::CollectiveKind;
using test::collective_time;
using test::TestMachine;
using topology::DimensionKind;

struct Case {
    TestMachine machine;
    CollectiveType type = CollectiveType::AllReduce;
    std::string text;
};

struct Collective {
    CollectiveType type;
    CollectiveKind kind;
    std::vector<const char*> algorithms;
};

const std::vector<Collective>& collectives() {
    static const std::vector<const char*> symmetric{
        "ring",    "bidirectionalRing", "multiRing",         "direct",    "direct2",
        "oneRing", "halvingDoubling",   "recursiveDoubling", "oneDirect", "oneHalvingDoubling"};
    static const std::vector<Collective> list{
        {CollectiveType::AllReduce,
         CollectiveKind::AllReduce,
         {"ring", "bidirectionalRing", "multiRing", "direct", "halvingDoubling",
          "recursiveDoubling", "oneDoubleBinaryTree", "oneRecursiveDoubling"}},
        {CollectiveType::AllGather, CollectiveKind::AllGather, symmetric},
        {CollectiveType::ReduceScatter, CollectiveKind::ReduceScatter, symmetric},
        {CollectiveType::AllToAll, CollectiveKind::AllToAll, symmetric},
        {CollectiveType::Broadcast, CollectiveKind::Broadcast, {"binomialTree", "ring", "direct"}},
        {CollectiveType::Reduce, CollectiveKind::Reduce, {"binomialTree", "ring", "direct"}},
        {CollectiveType::Gather, CollectiveKind::Gather, {"binomialTree", "direct"}},
        {CollectiveType::Scatter, CollectiveKind::Scatter, {"binomialTree", "direct"}}};
    return list;
}

class RandomCases {
public:
    explicit RandomCases(std::uint32_t seed) : random_(seed) {}

    std::int64_t number(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
    }

    Case next() {
        Case made;
        std::vector<topology::Dimension> dimensions;
        const std::int64_t count = number(1, 3);
        for (std::int64_t d = 0; d < count; ++d) {
            dimensions.push_back(topology::make_dimension(
                static_cast<DimensionKind>(number(0, 3)),
                static_cast<std::int32_t>(number(2, count == 1 ? 24 : 5)),
                Rate(number(1, 8) * 25'000'000'000), Time::ns(number(0, 1000))));
        }
        made.machine.network = topology::make_network(dimensions);
        const Collective& collective = collectives()[static_cast<std::size_t>(number(0, 7))];
        const char* algorithm = collective.algorithms[static_cast<std::size_t>(
            number(0, static_cast<std::int64_t>(collective.algorithms.size()) - 1))];
        made.type = collective.type;
        made.machine.system.implementations(collective.kind) = {test::implementation(algorithm)};
        made.machine.system.preferred_dataset_splits = static_cast<std::int32_t>(number(1, 5));
        made.machine.system.active_chunks_per_dimension = static_cast<std::int32_t>(number(1, 3));
        made.text = std::string(algorithm) + " " + engine::name_of(collective.kind) + " on " +
                    made.machine.network.name + " of " +
                    std::to_string(made.machine.network.graph.npus()) + " in " +
                    std::to_string(made.machine.system.preferred_dataset_splits) + " chunks, " +
                    std::to_string(made.machine.system.active_chunks_per_dimension) + " active";
        return made;
    }

private:
    std::mt19937 random_;
};

struct Ports {
    std::int64_t all = 0;   ///< bytes per second that leave all NPUs together
    std::int64_t root = 0;  ///< that leave NPU 0, or reach it: links have two directions
};

Ports ports_of(const topology::NetworkDescription& network) {
    Ports ports;
    for (std::size_t i = 0; i < network.graph.links(); ++i) {
        const topology::Link& link = network.graph.link(LinkId(i));
        if (link.from.index() < network.graph.npus()) {
            ports.all += link.rate.bytes_per_second();
            ports.root += link.from == NodeId(0) ? link.rate.bytes_per_second() : 0;
        }
    }
    return ports;
}

/// The least time for a collective with `size` in the trace.
Time bound(const Case& one, std::int64_t size) {
    const auto n = static_cast<std::int64_t>(one.machine.network.graph.npus());
    const Ports ports = ports_of(one.machine.network);
    switch (one.type) {
        case CollectiveType::AllReduce:
            return time_for(2 * (n - 1) * size, ports.all);
        case CollectiveType::AllGather:
            return time_for(n * (n - 1) * size, ports.all);
        case CollectiveType::ReduceScatter:
        case CollectiveType::AllToAll:
            return time_for((n - 1) * size, ports.all);
        case CollectiveType::Gather:
            return time_for((n - 1) * size, ports.root);
        case CollectiveType::Scatter:
            return time_for((n - 1) * (size / n), ports.root);
        default:
            return std::max(time_for(size, ports.root), time_for((n - 1) * size, ports.all));
    }
}

// Each byte of the result of an all-reduce must leave an NPU n - 1 times to be summed and n - 1
// times to be spread; of a reduce-scatter and of an all-gather half of that; of an all-to-all
// (n - 1)/n of every buffer must leave its NPU. Over R, the rates of all ports together, and r,
// those of the slowest NPU (Patarasuk and Yuan, 2009), with a link's latency:
//     all-reduce max(2 (n-1) S / R, S / r); all-gather (n-1) S / r;
//     reduce-scatter, all-to-all (n-1)/n S / r; broadcast, reduce S / r;
//     gather, scatter (n-1) S, (n-1)/n S over the ports of the root.
// All NPUs of these networks but the ends of lines are alike.
TEST(CollectiveBounds, AreNeverBeaten) {
    RandomCases cases(7);
    for (int i = 0; i < 600; ++i) {
        const Case one = cases.next();
        SCOPED_TRACE(one.text);
        const std::int64_t size =
            cases.number(1, 1000) * static_cast<std::int64_t>(one.machine.network.graph.npus());
        try {
            const engine::Results results = test::collective_run(one.type, size, one.machine);
            ASSERT_EQ(results.collectives.size(), 1u);
            ASSERT_GE(results.collectives[0].least, bound(one, size));
            ASSERT_GE(results.collectives[0].end, results.collectives[0].least);
        } catch (const StallError& stall) {
            FAIL() << size << " bytes: " << stall.what();
        }
    }
}

// On a ring whose sizes divide, the ring algorithms both ways keep all ports busy: but for the
// latencies of their steps they take the least time. n = 8, S = 64 MiB, 100 GB/s each way:
//     all-reduce: 2 x 7/8 x 64 MiB / 200 GB/s; all-to-all: 7/8 x 64 MiB / 200 GB/s at the ports.
TEST(CollectiveBounds, AreMetByTheBidirectionalRing) {
    TestMachine machine = test::ring_machine(8, Rate(100'000'000'000), Time());
    machine.system.implementations(CollectiveKind::AllReduce) = {
        test::implementation("bidirectionalRing")};
    const std::int64_t size = std::int64_t{1} << 26;
    const engine::Results results = test::collective_run(CollectiveType::AllReduce, size, machine);
    EXPECT_EQ(results.collectives[0].least, time_for(2 * 7 * size / 8, 200'000'000'000));
    EXPECT_LT((results.finish - results.collectives[0].least).ps(), 100);
}

// Groups along one dimension of a 4 x 4 torus have that dimension's two links, a group across both
// has all four: an all-gather of S needs 3 S, or 2 S, through them. The two of S that each of the
// three rows lacks come over the row's 8 links to others, though: 2 S / 200 GB/s.
TEST(CollectiveBounds, CountTheLinksThatAGroupCanUse) {
    const topology::NetworkDescription network = topology::make_network(
        {topology::make_dimension(DimensionKind::Ring, 4, Rate(100'000'000'000), Time::ns(10)),
         topology::make_dimension(DimensionKind::Ring, 4, Rate(25'000'000'000), Time::ns(500))});
    engine::CollectiveBounds bounds(network);
    const Bytes shard(1'000'000);
    const auto least = [&](const std::vector<Rank>& ranks) {
        return bounds.least_time(CollectiveKind::AllGather, ranks, shard, Rank());
    };
    EXPECT_EQ(least({Rank(0), Rank(1), Rank(2), Rank(3)}), Time::ns(15'000 + 10));
    EXPECT_EQ(least({Rank(0), Rank(4), Rank(8), Rank(12)}), Time::ns(60'000 + 500));
    EXPECT_EQ(least({Rank(0), Rank(5), Rank(10)}), Time::ns(10'000 + 10));
}

// Rates whose sums no 64 bits hold: 16 x 2^60 B/s, and rings with two links of 10^18 B/s an NPU.
// All-reduce of 10^15 B: the sum of 16 NPUs bounds it, as on slower links.
TEST(CollectiveBounds, HoldForRatesWhoseSumsAreLarge) {
    const auto least = [](DimensionKind kind, std::int64_t rate) {
        const topology::NetworkDescription network =
            topology::make_network({topology::make_dimension(kind, 16, Rate(rate), Time::ns(500))});
        std::vector<Rank> ranks;
        for (std::size_t i = 0; i < 16; ++i) {
            ranks.emplace_back(i);
        }
        return engine::CollectiveBounds(network).least_time(CollectiveKind::AllReduce, ranks,
                                                            Bytes(1'000'000'000'000'000), Rank());
    };
    const auto busy = [](double rate) { return Time::ps(std::llround(std::ceil(1e27 / rate))); };
    const double rate = 1152921504606846976.0;
    EXPECT_EQ(least(DimensionKind::Switch, std::int64_t{1} << 60),
              busy(rate * 16 / 30) + Time::ns(500));
    EXPECT_EQ(least(DimensionKind::Ring, 1'000'000'000'000'000'000),
              busy(2e18 * 16 / 30) + Time::ns(500));
    EXPECT_EQ(least(DimensionKind::Ring, 4'000'000'000'000'000'000),
              busy(8e18 * 16 / 30) + Time::ns(500));
}

// A collective of twice the bytes is never faster, whatever the chunks (sizes in steps of what all
// parts and lanes divide), and one on links of twice the rate never slower.
TEST(CollectiveBounds, MoreBytesTakeLongerAndMoreBandwidthLess) {
    RandomCases cases(11);
    for (int i = 0; i < 300; ++i) {
        const Case one = cases.next();
        SCOPED_TRACE(one.text);
        const auto n = static_cast<std::int64_t>(one.machine.network.graph.npus());
        const std::int64_t unit = n * 12 * one.machine.system.preferred_dataset_splits;
        const std::int64_t size = cases.number(1, 200) * unit;
        const Time time = collective_time(one.type, size, one.machine);
        const std::int64_t larger = size + cases.number(1, 200) * unit;
        ASSERT_GE(collective_time(one.type, larger, one.machine), time);
        Case faster = one;
        std::vector<topology::Dimension> dimensions = one.machine.network.dimensions;
        for (topology::Dimension& dimension : dimensions) {
            dimension.rate = Rate(2 * dimension.rate.bytes_per_second());
        }
        faster.machine.network = topology::make_network(dimensions);
        ASSERT_LE(collective_time(one.type, size, faster.machine), time);
    }
}

}  // namespace
}  // namespace npunet::collective_bounds_test

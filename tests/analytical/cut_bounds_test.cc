// Bounds by the borders of servers, leaves and groups: closed forms.

#include <gtest/gtest.h>

#include <string>

#include "engine/collective_algorithms/lower_bound.h"
#include "topology/yaml/network_reader.h"

namespace npunet {
namespace {

using engine::BoundBy;
using engine::CollectiveBounds;
using engine::CollectiveKind;

constexpr std::int64_t giga = 1'000'000'000;
constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

topology::NetworkDescription read(const std::string& text) {
    return topology::parse_network(text, "network.yml");
}

std::vector<Rank> ranks_of(const std::vector<int>& numbers) {
    std::vector<Rank> ranks;
    for (const int number : numbers) {
        ranks.emplace_back(number);
    }
    return ranks;
}

std::vector<Rank> all_of(const topology::NetworkDescription& network) {
    std::vector<Rank> ranks;
    for (std::size_t rank = 0; rank < network.graph.npus(); ++rank) {
        ranks.emplace_back(rank);
    }
    return ranks;
}

// 8 servers of 8 with 450 GB/s inside and 50 GB/s a NIC, written in two forms: the ports allow
// 2 x 63 S / (64 x 500 GB/s) = 4.23 ms, the NICs of a server 2 x 7/8 S / (8 x 50 GB/s) = 4.70 ms.
TEST(CutBounds, OfServersWithSlowNics) {
    for (const char* text :
         {"Rail: {servers: 8, npus_per_server: 8, scale_up: {kind: switch, bandwidth: 450, "
          "latency: 100}, scale_out: {levels: 2, radix: 16, bandwidth: 50, latency: 500}}\n",
          "topology: [Switch, Switch]\nnpus_count: [8, 8]\nbandwidth: [450, 50]\n"
          "latency: [100, 500]\n"}) {
        SCOPED_TRACE(text);
        const topology::NetworkDescription network = read(text);
        const auto least = [&](CollectiveKind kind, BoundBy by) {
            return CollectiveBounds(network, by)
                .least_time(kind, all_of(network), Bytes(gibibyte), Rank(0));
        };
        EXPECT_EQ(least(CollectiveKind::AllReduce, BoundBy::Ports),
                  time_for(2 * 63 * gibibyte, 64 * 500 * giga) + Time::ns(100));
        EXPECT_EQ(least(CollectiveKind::AllReduce, BoundBy::PortsAndCuts),
                  time_for(2 * 7 * gibibyte / 8, 400 * giga) + Time::ns(100));
        EXPECT_EQ(least(CollectiveKind::AllGather, BoundBy::PortsAndCuts),
                  time_for(56 * gibibyte, 400 * giga) + Time::ns(100));
        EXPECT_EQ(least(CollectiveKind::AllToAll, BoundBy::PortsAndCuts),
                  time_for(8 * 56 * (gibibyte / 64), 400 * giga) + Time::ns(100));
        EXPECT_EQ(least(CollectiveKind::ReduceScatter, BoundBy::PortsAndCuts),
                  time_for(7 * gibibyte / 8, 400 * giga) + Time::ns(100));
        EXPECT_EQ(least(CollectiveKind::Broadcast, BoundBy::PortsAndCuts),
                  time_for(gibibyte, 400 * giga) + Time::ns(100));
        EXPECT_EQ(least(CollectiveKind::Gather, BoundBy::PortsAndCuts),
                  time_for(56 * gibibyte, 400 * giga) + Time::ns(100));
        EXPECT_EQ(least(CollectiveKind::Scatter, BoundBy::PortsAndCuts),
                  time_for(56 * (gibibyte / 64), 400 * giga) + Time::ns(100));
    }
}

// Groups that share servers unevenly: ranks 0 1 2 in one server of four, 4 in the next, over 4 x 10
// GB/s a server. 8 MB each, parts of 2 MB: 0 1 2 lack one shard, 4 lacks three; the three send 4
// a part each, of 2 MB, and get as many; 4 alone holds what three quarters of a sum lack.
TEST(CutBounds, OfGroupsThatFillServersUnevenly) {
    const topology::NetworkDescription network = read(
        "Rail: {servers: 2, npus_per_server: 4, scale_up: {kind: switch, bandwidth: 1000, "
        "latency: 100}, scale_out: {levels: 2, radix: 4, bandwidth: 10, latency: 500}}\n");
    CollectiveBounds bounds(network);
    const std::int64_t megabyte = 1'000'000;
    const auto least = [&](CollectiveKind kind, int root) {
        return bounds.least_time(kind, ranks_of({0, 1, 2, 4}), Bytes(8 * megabyte), Rank(root)) -
               Time::ns(100);
    };
    const auto crossing = [&](std::int64_t megabytes) {
        return time_for(megabytes * megabyte, 40 * giga);
    };
    EXPECT_EQ(least(CollectiveKind::AllReduce, 0), crossing(8));
    EXPECT_EQ(least(CollectiveKind::AllGather, 0), crossing(24));
    EXPECT_EQ(least(CollectiveKind::ReduceScatter, 0), crossing(6));
    EXPECT_EQ(least(CollectiveKind::AllToAll, 0), crossing(6));
    EXPECT_EQ(least(CollectiveKind::Broadcast, 0), crossing(8));
    EXPECT_EQ(least(CollectiveKind::Reduce, 4), crossing(8));
    EXPECT_EQ(least(CollectiveKind::Gather, 0), crossing(8));
    EXPECT_EQ(least(CollectiveKind::Gather, 4), crossing(24));
    EXPECT_EQ(least(CollectiveKind::Scatter, 0), crossing(2));
    EXPECT_EQ(least(CollectiveKind::Scatter, 4), crossing(6));
    EXPECT_EQ(least(CollectiveKind::Barrier, 0), Time());
}

// 3 leaves of 6 NPUs with 2 up-links of 5 GB/s each. An all-reduce crosses each leaf's border 4/3
// times, an all-to-all takes 6 x 12 parts of 18 over it.
TEST(CutBounds, OfOversubscribedLeaves) {
    const topology::NetworkDescription network = read(
        "FatTree: {levels: 2, radix: 8, npus: 18, oversubscription: 3, bandwidth: [50, 5], "
        "latency: 500}\n");
    CollectiveBounds bounds(network);
    const std::int64_t bytes = 18'000'000;
    EXPECT_EQ(bounds.least_time(CollectiveKind::AllReduce, all_of(network), Bytes(bytes), Rank()),
              time_for(4 * bytes, 30 * giga) + Time::ns(500));
    EXPECT_EQ(bounds.least_time(CollectiveKind::AllToAll, all_of(network), Bytes(bytes), Rank()),
              time_for(72 * bytes / 18, 10 * giga) + Time::ns(500));
    // With one member a leaf, too, the up-links are slower than the ports.
    EXPECT_EQ(
        bounds.least_time(CollectiveKind::AllGather, ranks_of({0, 6, 12}), Bytes(bytes), Rank()),
        time_for(2 * bytes, 10 * giga) + Time::ns(500));
}

// Groups of 3 routers with 2 NPUs of 50 GB/s each, and 3 global links of 10 GB/s: 30 GB/s for 6.
TEST(CutBounds, OfDragonflyGroups) {
    const topology::NetworkDescription network =
        read("Dragonfly: {a: 3, p: 2, h: 1, groups: 4, bandwidth: [50, 50, 10], latency: 500}\n");
    CollectiveBounds bounds(network);
    const std::int64_t bytes = 24'000'000;
    EXPECT_EQ(bounds.least_time(CollectiveKind::AllReduce, all_of(network), Bytes(bytes), Rank()),
              time_for(2 * 3 * bytes, 120 * giga) + Time::ns(500));
    EXPECT_EQ(bounds.least_time(CollectiveKind::AllToAll, all_of(network), Bytes(bytes), Rank()),
              time_for(6 * 18 * bytes / 24, 30 * giga) + Time::ns(500));
}

// Ranks count where their placement puts them.
TEST(CutBounds, FollowThePlacement) {
    const std::string switches =
        "topology: [Switch, Switch]\nnpus_count: [2, 2]\nbandwidth: [450, 50]\nlatency: [0, 0]\n";
    const auto least = [](const std::string& text) {
        const topology::NetworkDescription network = read(text);
        return CollectiveBounds(network).least_time(CollectiveKind::AllGather, ranks_of({0, 1}),
                                                    Bytes(450'000), Rank());
    };
    EXPECT_EQ(least(switches), Time::ns(1000));
    EXPECT_EQ(least(switches + "placement: [0, 3, 1, 2]\n"), Time::ns(4500));
}

}  // namespace
}  // namespace npunet

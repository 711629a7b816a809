// Times of single messages in the astra-sim dialects: latency and bytes at 2^30 / 10^9 bytes a
// nanosecond for each GB/s, cut to whole nanoseconds.

#include <gtest/gtest.h>

#include <cstdint>

#include "analytical/congestion_aware.h"
#include "analytical/congestion_unaware.h"
#include "tests/packet/traffic.h"
#include "topology/builders/builder.h"

namespace npunet::analytical {
namespace {

using topology::DimensionKind;

topology::Dimension dimension(DimensionKind kind, std::int32_t size) {
    return topology::make_dimension(kind, size, Rate(50'000'000'000), Time::ns(500));
}

/// When a message of 100 000 bytes between two NPUs, alone, is there.
template <class Network>
Time delivered(const topology::NetworkDescription& description, std::int32_t from,
               std::int32_t to) {
    const engine::Dialect dialect = engine::Dialect::named("astra-sim");
    engine::EventQueue queue(dialect.event_order);
    Network network(description, queue, dialect);
    const packet_test::Plan plan{{NodeId(from), NodeId(to), Bytes(100'000), Time(), -1, true}};
    packet_test::Traffic traffic(plan, queue, network);
    queue.run();
    return traffic.outcomes().front().delivered;
}

// 100 000 bytes at 50 x 1.073741824 bytes a nanosecond take 1862.645 ns.
TEST(ReferenceTimes, HopsOfEveryKindOfDimension) {
    const auto one = [](DimensionKind kind, std::int32_t to) {
        return delivered<CongestionUnaware>(topology::make_network({dimension(kind, 8)}), 0, to);
    };
    EXPECT_EQ(one(DimensionKind::Ring, 3), Time::ns(3 * 500 + 1862));
    EXPECT_EQ(one(DimensionKind::Ring, 6), Time::ns(2 * 500 + 1862));
    EXPECT_EQ(one(DimensionKind::Mesh1D, 6), Time::ns(6 * 500 + 1862));
    EXPECT_EQ(one(DimensionKind::Switch, 6), Time::ns(2 * 500 + 1862));
    EXPECT_EQ(one(DimensionKind::FullyConnected, 6), Time::ns(500 + 1862));
}

// NPU 1 is next to 0 in the first dimension, NPU 4 in the second one.
TEST(ReferenceTimes, TheFirstDimensionThatDiffersCounts) {
    const topology::NetworkDescription network = topology::make_network(
        {dimension(DimensionKind::FullyConnected, 4), dimension(DimensionKind::Switch, 4)});
    EXPECT_EQ(delivered<CongestionUnaware>(network, 0, 1), Time::ns(500 + 1862));
    EXPECT_EQ(delivered<CongestionUnaware>(network, 0, 4), Time::ns(1000 + 1862));
    EXPECT_EQ(delivered<CongestionUnaware>(network, 0, 5), Time::ns(500 + 1862));
}

// Where links are shared, each takes in a message before the next one sends it.
TEST(ReferenceTimes, WholeMessagesHopByHop) {
    const topology::NetworkDescription network =
        topology::make_network({dimension(DimensionKind::Ring, 8)});
    EXPECT_EQ(delivered<CongestionAware>(network, 0, 1), Time::ns(500 + 1862));
    EXPECT_EQ(delivered<CongestionAware>(network, 0, 3), Time::ns(3 * (500 + 1862)));
}

}  // namespace
}  // namespace npunet::analytical

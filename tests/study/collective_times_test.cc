// Times of one collective by every algorithm: sizes, bandwidths and bounds against closed forms,
// and what cannot run.

#include "study/collective_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "as_machine.h"
#include "base/errors.h"
#include "tests/support/machines.h"

namespace npunet::study {
namespace {

using engine::CollectiveKind;
using engine::Implementation;
using testing::HasSubstr;

Machine ring_of_four() {
    return as_machine(test::ring_machine(4, Rate(50'000'000'000), Time::ns(500)));
}

report::CollectiveTimes times_of(const Machine& machine, CollectiveKind kind,
                                 const std::vector<std::string>& algorithms,
                                 const std::vector<Bytes>& sizes,
                                 Fidelity fidelity = Fidelity::Analytical) {
    CollectiveTimesRequest request{kind, sizes, {}, {}};
    for (const std::string& name : algorithms) {
        request.algorithms.push_back(*Implementation::named(name));
    }
    return collective_times(machine, request, fidelity, {});
}

// 2 (n - 1) steps of a quarter: 6 x (20 us + 0.5 us). The ports, two of 50 GB/s each, could do it
// in 2 x 3 x 4 MB / (4 x 100 GB/s) = 60 us and a latency.
TEST(CollectiveTimes, FollowTheClosedFormOfARing) {
    const report::CollectiveTimes times =
        times_of(ring_of_four(), CollectiveKind::AllReduce, {"ring"}, {Bytes(4'000'000)});
    EXPECT_EQ(times.kind, CollectiveKind::AllReduce);
    EXPECT_EQ(times.members, 4U);
    const report::CollectiveTime& one = times.series.at(0).times.at(0);
    EXPECT_EQ(one.size, Bytes(4'000'000));
    EXPECT_EQ(one.time, Time::ns(123'000));
    EXPECT_EQ(one.bound, Time::ns(60'500));
    EXPECT_DOUBLE_EQ(one.algorithm_gbps(), 4000.0 / 123);
    EXPECT_DOUBLE_EQ(one.bus_gbps(), 1.5 * 4000.0 / 123);
    EXPECT_DOUBLE_EQ(one.bound_bus_gbps(), 1.5 * 4000.0 / 60.5);
}

// An all-gather's size is that of the result: 3 steps of a quarter of 4 MB; 4,000,003 bytes are no
// equal parts.
TEST(CollectiveTimes, GatheredSizesAreThoseOfTheResult) {
    const report::CollectiveTimes times =
        times_of(ring_of_four(), CollectiveKind::AllGather, {"ring"},
                 {Bytes(1), Bytes(4'000'000), Bytes(4'000'003)});
    const std::vector<report::CollectiveTime>& rows = times.series.at(0).times;
    EXPECT_EQ(rows.at(0).size, Bytes(4));
    EXPECT_EQ(rows.at(1).size, Bytes(4'000'000));
    EXPECT_EQ(rows.at(1).time, Time::ns(61'500));
    EXPECT_DOUBLE_EQ(rows.at(1).bus_gbps(), 0.75 * 4000.0 / 61.5);
    EXPECT_EQ(rows.at(2).size, Bytes(4'000'000));
}

TEST(CollectiveTimes, BusFactorsAreThoseOfNcclTests) {
    EXPECT_EQ(bus_factor(CollectiveKind::AllReduce, 8), 1.75);
    for (const CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
                                      CollectiveKind::AllToAll, CollectiveKind::Gather}) {
        EXPECT_EQ(bus_factor(kind, 8), 0.875);
    }
    EXPECT_EQ(bus_factor(CollectiveKind::Broadcast, 8), 1);
    EXPECT_EQ(bus_factor(CollectiveKind::Reduce, 8), 1);
}

// On two dimensions all forms are tried; the double binary tree has no reduce-scatter for the first
// one, and says so.
TEST(CollectiveTimes, AlgorithmsThatCannotRunSayWhy) {
    const Machine machine = as_machine(test::grid_machine(topology::DimensionKind::Ring, 4, 4,
                                                          Rate(50'000'000'000), Time::ns(500)));
    const report::CollectiveTimes times =
        times_of(machine, CollectiveKind::AllReduce, {}, {Bytes(1 << 20)});
    std::size_t ran = 0;
    bool flat = false;
    for (const report::CollectiveSeries& series : times.series) {
        flat = flat || series.algorithm == "flat-ring";
        if (series.algorithm == "doubleBinaryTree") {
            EXPECT_TRUE(series.times.empty());
            EXPECT_THAT(series.refusal, HasSubstr("doubleBinaryTree in a dimension"));
            continue;
        }
        EXPECT_EQ(series.refusal, "") << series.algorithm;
        ASSERT_EQ(series.times.size(), 1U) << series.algorithm;
        EXPECT_GE(series.times[0].time, series.times[0].bound) << series.algorithm;
        EXPECT_LE(times.fastest(0).times[0].time, series.times[0].time);
        ++ran;
    }
    EXPECT_GE(ran, 8U);
    EXPECT_TRUE(flat);
    EXPECT_THROW(static_cast<void>(times_of(machine, CollectiveKind::AllReduce,
                                            {"doubleBinaryTree"}, {Bytes(1 << 20)})),
                 InputError);
}

// No algorithm is faster than its bound, packet by packet either; headers make it slower than the
// estimate.
TEST(CollectiveTimes, PacketsTakeLonger) {
    const Machine machine = ring_of_four();
    for (const CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
          CollectiveKind::Broadcast, CollectiveKind::Scatter}) {
        const report::CollectiveTimes quick = times_of(machine, kind, {}, {Bytes(1 << 20)});
        const report::CollectiveTimes packets =
            times_of(machine, kind, {}, {Bytes(1 << 20)}, Fidelity::Packet);
        ASSERT_EQ(quick.series.size(), packets.series.size());
        for (std::size_t i = 0; i < quick.series.size(); ++i) {
            SCOPED_TRACE(quick.series[i].algorithm);
            EXPECT_GT(packets.series[i].times.at(0).time, packets.series[i].times.at(0).bound);
            EXPECT_GT(packets.series[i].times.at(0).time, quick.series[i].times.at(0).time);
        }
    }
}

// Only the NPUs of --group take part.
TEST(CollectiveTimes, GroupsAreTheMembers) {
    CollectiveTimesRequest request{CollectiveKind::AllReduce,
                                   {Bytes(1'000'000)},
                                   {Rank(1), Rank(2)},
                                   {*Implementation::named("ring")}};
    const report::CollectiveTimes times =
        collective_times(ring_of_four(), request, Fidelity::Analytical, {});
    EXPECT_EQ(times.members, 2U);
    EXPECT_EQ(times.series.at(0).times.at(0).time, Time::ns(2 * (10'000 + 500)));
}

}  // namespace
}  // namespace npunet::study

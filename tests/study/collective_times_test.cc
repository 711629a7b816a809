// Times of one collective by every algorithm: sizes, bandwidths and bounds against closed forms,
// and what cannot run.

#include "study/collective_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "as_machine.h"
#include "base/errors.h"
#include "engine/collective_files/read_algorithm.h"
#include "tests/support/machines.h"
#include "tests/support/msccl_files.h"
#include "tests/support/temporary_folder.h"

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
        request.algorithms.push_back(AlgorithmToTime::of(*Implementation::named(name)));
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
        EXPECT_LE(times.fastest(Bytes(1 << 20)).time->time, series.times[0].time);
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

/// A file for a kind of collective, for sizes from `least` to `most`.
void add_file(Machine& machine, CollectiveKind kind, const test::XmlAlgorithm& algorithm,
              const std::string& file, Bytes least, Bytes most) {
    const test::TemporaryFolder folder;
    engine::FileChoice choice;
    choice.algorithm = engine::read_algorithm(folder.write(file, algorithm.text()).string(), kind);
    choice.least = least;
    choice.most = most;
    machine.system.files(kind).list.push_back(choice);
}

// A file has a series, at the sizes of its bands: those of the result for an all-gather. The
// machine's built-in algorithms stay as they are.
TEST(CollectiveTimes, FilesAreTimedAtTheirSizes) {
    Machine machine = as_machine(test::line_machine(topology::DimensionKind::FullyConnected, 4,
                                                    Rate(50'000'000'000), Time::ns(500)));
    const CollectiveKind kind = CollectiveKind::AllReduce;
    add_file(machine, kind, test::ring_all_reduce(4), "a.xml", Bytes(4096), Bytes(1 << 20));
    const std::vector<AlgorithmToTime> files = algorithms_of_files(machine.system, kind);
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].name, "file ring_all_reduce");
    CollectiveTimesRequest request{kind,
                                   {Bytes(1024), Bytes(4096), Bytes(1 << 20), Bytes(1 << 22)},
                                   {},
                                   {AlgorithmToTime::of(*Implementation::named("ring")), files[0]}};
    const report::CollectiveTimes times =
        collective_times(machine, request, Fidelity::Analytical, {});
    const report::CollectiveSeries& ring = times.series.at(0);
    const report::CollectiveSeries& file = times.series.at(1);
    EXPECT_EQ(ring.times.size(), 4U);
    EXPECT_EQ(file.algorithm, "file ring_all_reduce");
    EXPECT_EQ(file.refusal, "");
    ASSERT_EQ(file.times.size(), 2U);
    EXPECT_EQ(file.times[0].size, Bytes(4096));
    EXPECT_EQ(file.times[1].size, Bytes(1 << 20));
    EXPECT_EQ(file.times[1].algorithm, "ring_all_reduce");
    EXPECT_EQ(times.sizes(), request.sizes);
    EXPECT_EQ(times.fastest(Bytes(1024)).series, &ring);
    EXPECT_NE(times.fastest(Bytes(4096)).time, nullptr);
    EXPECT_EQ(times.fastest(Bytes(5)).series, nullptr);

    request.algorithms.clear();
    const auto all = collective_times(machine, request, Fidelity::Analytical, {}).series;
    EXPECT_EQ(all.front().algorithm, "auto");
    EXPECT_EQ(all.back().algorithm, "file ring_all_reduce");

    add_file(machine, CollectiveKind::AllGather, test::ring_all_gather(4), "g.xml", Bytes(4000),
             Bytes(4003));
    const CollectiveTimesRequest gather{
        CollectiveKind::AllGather,
        {Bytes(3999), Bytes(4003), Bytes(4004)},
        {},
        algorithms_of_files(machine.system, CollectiveKind::AllGather)};
    const auto gathered = collective_times(machine, gather, Fidelity::Analytical, {}).series.at(0);
    ASSERT_EQ(gathered.times.size(), 1U);
    EXPECT_EQ(gathered.times[0].size, Bytes(4000));
}

// Two files that call themselves the same are told apart by their paths; one with two bands is one
// series. A file for another number of members is refused with the reason, and so is one that is
// for none of the sizes.
TEST(CollectiveTimes, FilesThatCannotRunSayWhy) {
    Machine machine = as_machine(test::line_machine(topology::DimensionKind::FullyConnected, 4,
                                                    Rate(50'000'000'000), Time::ns(500)));
    const CollectiveKind kind = CollectiveKind::AllReduce;
    add_file(machine, kind, test::ring_all_reduce(4), "a.xml", Bytes(0), Bytes(2048));
    machine.system.files(kind).list.push_back(machine.system.files(kind).list.front());
    machine.system.files(kind).list.back().least = Bytes(1 << 20);
    machine.system.files(kind).list.back().most = Bytes(1 << 21);
    add_file(machine, kind, test::ring_all_reduce(8), "b.xml", Bytes(0), Bytes(1 << 30));
    const std::vector<AlgorithmToTime> files = algorithms_of_files(machine.system, kind);
    ASSERT_EQ(files.size(), 2U);
    EXPECT_THAT(files[0].name, testing::EndsWith("a.xml"));
    EXPECT_EQ(files[0].bands.size(), 2U);
    EXPECT_THAT(files[1].name, testing::EndsWith("b.xml"));
    const auto series_at = [&](Bytes size) {
        return collective_times(machine, {kind, {size}, {}, {}}, Fidelity::Analytical, {}).series;
    };
    const auto between = series_at(Bytes(4096));
    EXPECT_THAT(between.at(between.size() - 2).refusal,
                testing::AllOf(HasSubstr("0 B to 2 KiB"), HasSubstr("1 MiB to 2 MiB")));
    EXPECT_THAT(between.back().refusal, HasSubstr("which is for 8 members"));
    EXPECT_EQ(series_at(Bytes(1024)).at(between.size() - 2).times.size(), 1U);

    for (engine::FileChoice& choice : machine.system.files(kind).list) {
        choice.members = 8;
    }
    const auto others = series_at(Bytes(1024));
    EXPECT_EQ(others.at(others.size() - 2).refusal, "none of its entries is for 4 members");
}

// Only the NPUs of --group take part.
TEST(CollectiveTimes, GroupsAreTheMembers) {
    CollectiveTimesRequest request{CollectiveKind::AllReduce,
                                   {Bytes(1'000'000)},
                                   {Rank(1), Rank(2)},
                                   {AlgorithmToTime::of(*Implementation::named("ring"))}};
    const report::CollectiveTimes times =
        collective_times(ring_of_four(), request, Fidelity::Analytical, {});
    EXPECT_EQ(times.members, 2U);
    EXPECT_EQ(times.series.at(0).times.at(0).time, Time::ns(2 * (10'000 + 500)));
}

}  // namespace
}  // namespace npunet::study

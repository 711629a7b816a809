// Timelines of whole runs at every fidelity: their sums are those of the results.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "analysis/rank_groups.h"
#include "analysis/simulated_timeline.h"
#include "engine/npu/interval_union.h"
#include "generators/transformer/training_step.h"
#include "packet/make_packet_network.h"
#include "study/generated_workload.h"
#include "study/simulation_run.h"
#include "tests/support/machines.h"
#include "tests/support/models.h"

namespace npunet::study::run_timeline_test {
namespace {

using analysis::Category;
using analysis::Dimension;
using analysis::RunTimeline;

Machine torus() {
    const test::TestMachine from = test::torus_machine(4, 2, Rate(50'000'000'000), Time::ns(500));
    Machine machine{from.dialect, from.network, {}, {}};
    machine.system.roofline = true;
    machine.system.compute = {312, 2039};
    return machine;
}

engine::Workload step(const Machine& machine) {
    generators::Plan plan;
    plan.dp = plan.tp = plan.pp = 2;
    plan.batch = 4;
    return workload_from(generators::generate(test::tiny_model(), plan), workload_options(machine));
}

std::vector<Fidelity> fidelities() {
    std::vector<Fidelity> all{Fidelity::Analytical, Fidelity::CongestionAware};
    all.push_back(Fidelity::Packet);
    return all;
}

engine::Results run(Fidelity fidelity, const RunOptions& options) {
    const Machine machine = torus();
    return simulate(step(machine), machine, fidelity, options);
}

RunOptions with_load() {
    RunOptions options;
    options.link_load = true;
    return options;
}

Time length_of(const RunTimeline& timeline, Rank rank, Category category) {
    std::vector<engine::Interval> spans;
    const auto [first, second] = timeline.rows_of(rank);
    for (std::size_t row = first; row < second; ++row) {
        if (timeline.intervals.category(row) == category) {
            spans.push_back({timeline.intervals.start(row), timeline.intervals.end(row)});
        }
    }
    return engine::union_length(spans);
}

// The union of the rows of a rank is its compute and its communication time; the last row ends
// with the run.
TEST(RunTimelines, SumToTheResults) {
    for (const Fidelity fidelity : fidelities()) {
        SCOPED_TRACE(name_of(fidelity));
        const engine::Results results = run(fidelity, with_load());
        const RunTimeline timeline = analysis::simulated_timeline(results);
        EXPECT_EQ(timeline.ranks().size(), 8U);
        EXPECT_EQ(timeline.length, results.finish);
        for (const engine::NpuResult& npu : results.npus) {
            EXPECT_EQ(length_of(timeline, npu.rank, Category::Computation), npu.compute);
            EXPECT_EQ(length_of(timeline, npu.rank, Category::Communication), npu.communication);
        }
    }
}

// Every collective of the results is a joint of as many rows as its group has ranks, which start
// and end with it; a send and its receive are one of two rows.
TEST(RunTimelines, JoinTheCollectivesOfTheResults) {
    for (const Fidelity fidelity : fidelities()) {
        SCOPED_TRACE(name_of(fidelity));
        const engine::Results results = run(fidelity, with_load());
        const RunTimeline timeline = analysis::simulated_timeline(results);
        struct Joint {
            std::string name;
            std::size_t rows = 0;
            bool collective = false;
            Time first = Time::max();
            Time last_start;
            Time end;
        };
        std::vector<Joint> joints(static_cast<std::size_t>(timeline.joints()));
        for (std::size_t row = 0; row < timeline.intervals.size(); ++row) {
            const analysis::Interval interval = timeline.intervals[row];
            if (interval.joint < 0) {
                continue;
            }
            Joint& joint = joints[static_cast<std::size_t>(interval.joint)];
            joint.name = timeline.names[interval.name];
            joint.collective = interval.group >= 0;
            ++joint.rows;
            joint.first = std::min(joint.first, interval.start);
            joint.last_start = std::max(joint.last_start, interval.start);
            joint.end = std::max(joint.end, interval.end);
            EXPECT_NE(interval.dimension, Dimension::Other) << joint.name;
        }
        std::multiset<std::tuple<std::string, std::size_t, Time, Time, Time>> found;
        std::size_t messages = 0;
        for (const Joint& joint : joints) {
            if (joint.collective) {
                found.emplace(joint.name, joint.rows, joint.first, joint.last_start, joint.end);
            } else {
                EXPECT_EQ(joint.rows, 2U) << joint.name;
                ++messages;
            }
        }
        // Two micro-batches go forwards and backwards between the stages of four pipelines.
        EXPECT_EQ(messages, 16U);
        std::multiset<std::tuple<std::string, std::size_t, Time, Time, Time>> expected;
        for (const engine::CollectiveResult& collective : results.collectives) {
            expected.emplace(collective.name, collective.group.size(), collective.first_start,
                             collective.last_start, collective.end);
        }
        EXPECT_FALSE(expected.empty());
        EXPECT_EQ(found, expected);
    }
}

// dp 2, tp 2, pp 2: four pipelines of two stages, two replicas of four ranks.
TEST(RunTimelines, ShowThePlan) {
    const analysis::RankGroups groups = analysis::find_rank_groups(
        analysis::simulated_timeline(run(Fidelity::CongestionAware, with_load())));
    EXPECT_EQ(groups.pipelines.size(), 4U);
    for (const std::vector<Rank>& pipeline : groups.pipelines) {
        ASSERT_EQ(pipeline.size(), 2U);
        EXPECT_LT(pipeline[0], pipeline[1]);
    }
    ASSERT_EQ(groups.replicas.size(), 2U);
    EXPECT_EQ(groups.replicas[0].size(), 4U);
}

/// Acknowledgements may be under way when the run is over: up to `later` (ps) are not in a bin.
void expect_busy_times(const engine::Results& results, double later = 0) {
    ASSERT_EQ(results.load.shares.size(), results.links.size() * results.load.bins);
    for (std::size_t link = 0; link < results.links.size(); ++link) {
        double sum = 0;
        for (std::size_t bin = 0; bin < results.load.bins; ++bin) {
            const std::int64_t from = static_cast<std::int64_t>(bin) * results.load.bin.ps();
            sum += static_cast<double>(results.load.shares[link * results.load.bins + bin]) *
                   static_cast<double>(std::min(results.load.bin.ps(), results.finish.ps() - from));
        }
        const auto busy = static_cast<double>(results.links[link].busy.ps());
        EXPECT_LE(sum, busy * (1 + 1e-5) + 1) << results.links[link].from;
        EXPECT_GE(sum, busy * (1 - 1e-5) - 1 - later) << results.links[link].from;
    }
}

// The shares of all bins sum to how long the link was sending; the quick estimate has none, and
// runs that did not ask have none. Nothing else of a run changes.
TEST(RunTimelines, LinkLoadSumsToTheBusyTimes) {
    for (const Fidelity fidelity : fidelities()) {
        SCOPED_TRACE(name_of(fidelity));
        const engine::Results results = run(fidelity, with_load());
        const engine::Results without = run(fidelity, {});
        EXPECT_EQ(without.load.bins, 0U);
        EXPECT_EQ(results.finish, without.finish);
        EXPECT_EQ(results.events, without.events);
        if (fidelity == Fidelity::Analytical) {
            EXPECT_EQ(results.load.bins, 0U);
        } else {
            EXPECT_GT(results.load.bins, 100U);
            expect_busy_times(results);
        }
    }
}

/// The largest difference of shares between two runs of equal bins.
double difference(const engine::Results& a, const engine::Results& b) {
    EXPECT_EQ(a.load.bin, b.load.bin);
    EXPECT_EQ(a.load.shares.size(), b.load.shares.size());
    double largest = 0;
    for (std::size_t i = 0; i < std::min(a.load.shares.size(), b.load.shares.size()); ++i) {
        largest =
            std::max(largest, std::abs(static_cast<double>(a.load.shares[i] - b.load.shares[i])));
    }
    return largest;
}

// Packets that are moved together are spread evenly over the periods that they stand for, which
// are short beside a bin; threads change nothing.
TEST(RunTimelines, LinkLoadOfTrainsAndThreadsIsThatOfPackets) {
    RunOptions one_by_one = with_load();
    one_by_one.packet.fast_forward = false;
    const engine::Results packets = run(Fidelity::Packet, one_by_one);
    const engine::Results trains = run(Fidelity::Packet, with_load());
    EXPECT_LT(trains.events, packets.events);
    EXPECT_EQ(trains.finish, packets.finish);
    EXPECT_LT(difference(packets, trains), 0.02);
    one_by_one.packet.threads = 2;
    EXPECT_EQ(difference(packets, run(Fidelity::Packet, one_by_one)), 0);
}

// The same where packets are lost rather than held back: pauses in place of credits.
TEST(RunTimelines, LinkLoadOfEthernet) {
    Machine machine = torus();
    machine.network.packet.flow_control = topology::FlowControl::Pfc;
    const engine::Workload workload = step(machine);
    RunOptions options = with_load();
    const engine::Results trains = simulate(workload, machine, Fidelity::Packet, options);
    expect_busy_times(trains, 1e6);
    options.packet.fast_forward = false;
    const engine::Results packets = simulate(workload, machine, Fidelity::Packet, options);
    expect_busy_times(packets, 1e6);
    EXPECT_LT(trains.events, packets.events);
    EXPECT_LT(difference(packets, trains), 0.02);
}

}  // namespace
}  // namespace npunet::study::run_timeline_test

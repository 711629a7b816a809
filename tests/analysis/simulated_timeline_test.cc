// The timeline of a simulation, made from results written down by hand.
#include "analysis/simulated_timeline.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/rank_groups.h"

namespace npunet::analysis {
namespace {

using engine::Operation;
using engine::OperationKind;

Operation operation(std::int32_t rank, OperationKind kind, std::uint64_t node, const char* name,
                    std::int64_t start_ns, std::int64_t end_ns) {
    return {Rank(rank), kind, node, name, Time::ns(start_ns), Time::ns(end_ns)};
}

Operation collective_operation(std::int32_t rank, std::uint64_t node, const char* name,
                               std::int32_t group, std::int64_t start_ns, std::int64_t end_ns) {
    Operation made = operation(rank, OperationKind::Collective, node, name, start_ns, end_ns);
    made.group = group;
    made.bytes = Bytes(100);
    return made;
}

Operation message(std::int32_t rank, OperationKind kind, const char* name, std::int32_t peer,
                  std::int64_t start_ns, std::int64_t end_ns) {
    Operation made = operation(rank, kind, 50, name, start_ns, end_ns);
    made.peer = Rank(peer);
    made.tag = 7;
    return made;
}

/// Two stages of two ranks each: 0 and 1 share tensors, and send to 2 and 3.
engine::Results two_stages() {
    engine::Results results;
    results.fidelity = "packet";
    results.finish = Time::ns(120);
    results.groups = {{"1", {Rank(0), Rank(1)}}, {"2", {Rank(2), Rank(3)}}};
    for (std::int32_t rank = 0; rank < 4; ++rank) {
        const std::int64_t from = rank < 2 ? 0 : 50;
        const std::int32_t group = rank / 2;
        results.operations.push_back(operation(rank, OperationKind::Compute, 1,
                                               "mb0_layer0_mlp_up_forward", from, from + 10));
        results.operations.push_back(collective_operation(
            rank, 2, "mb0_layer0_mlp_down_all_reduce_forward", group, from + 10, from + 20));
        results.operations.push_back(collective_operation(
            rank, 3, "mb0_layer1_mlp_down_all_reduce_forward", group, from + 20, from + 30));
        if (rank < 2) {
            results.operations.push_back(
                message(rank, OperationKind::Send, "mb0_forward_send", rank + 2, 30, 45));
        } else {
            Operation waits =
                message(rank, OperationKind::Receive, "mb0_forward_receive", rank - 2, 0, 50);
            waits.communication_from = Time::ns(30);
            results.operations.insert(results.operations.end() - 3, waits);
        }
    }
    return results;
}

TEST(SimulatedTimeline, HasARowForEveryOperation) {
    const engine::Results results = two_stages();
    const RunTimeline timeline = simulated_timeline(results);
    ASSERT_EQ(timeline.intervals.size(), results.operations.size());
    EXPECT_EQ(timeline.label, "packet");
    EXPECT_EQ(timeline.source, RunSource::Simulated);
    EXPECT_EQ(timeline.length, Time::ns(120));
    EXPECT_EQ(timeline.groups.size(), 2U);
    const Interval row = timeline.intervals[1];
    EXPECT_EQ(timeline.names[row.name], "mb0_layer0_mlp_down_all_reduce_forward");
    EXPECT_EQ(timeline.names[row.lane], "collective");
    EXPECT_EQ(row.category, Category::Communication);
    EXPECT_EQ(row.dimension, Dimension::Tensor);
    EXPECT_EQ(row.phase, Phase::Forward);
    EXPECT_EQ(row.micro_batch, 0);
    EXPECT_EQ(row.group, 0);
    EXPECT_EQ(row.bytes, Bytes(100));
    EXPECT_EQ(row.id, 2U);
}

TEST(SimulatedTimeline, SaysThatTheRunWasBrokenOff) {
    engine::Results results = two_stages();
    results.notes = {"a note"};
    EXPECT_EQ(simulated_timeline(results).notes, std::vector<std::string>{"a note"});
    results.partial = engine::Partial{Time::ns(120), "a limit", 3, 5};
    EXPECT_EQ(simulated_timeline(results).notes,
              (std::vector<std::string>{"partial: a limit, with 3 of 5 nodes done", "a note"}));
}

// Rank 2 posts its receive at 0, and the first byte leaves at 30 ns: what is before is idle.
TEST(SimulatedTimeline, ReceivesBeginWithTheirFirstByte) {
    const RunTimeline timeline = simulated_timeline(two_stages());
    const auto [first, second] = timeline.rows_of(Rank(2));
    ASSERT_EQ(second - first, 4U);
    EXPECT_EQ(timeline.intervals.start(first), Time::ns(30));
    EXPECT_EQ(timeline.intervals.end(first), Time::ns(50));
    EXPECT_EQ(timeline.intervals.peer(first), Rank(0));
}

// Two collectives in each of two groups, and two messages: six joints of two rows each.
TEST(SimulatedTimeline, JoinsWhatBelongsTogether) {
    const RunTimeline timeline = simulated_timeline(two_stages());
    ASSERT_EQ(timeline.joints(), 6);
    std::vector<std::vector<std::size_t>> rows(6);
    for (std::size_t row = 0; row < timeline.intervals.size(); ++row) {
        if (timeline.intervals.joint(row) >= 0) {
            rows[static_cast<std::size_t>(timeline.intervals.joint(row))].push_back(row);
        }
    }
    for (const std::vector<std::size_t>& parts : rows) {
        ASSERT_EQ(parts.size(), 2U);
        const Interval a = timeline.intervals[parts[0]];
        const Interval b = timeline.intervals[parts[1]];
        if (a.group >= 0) {
            EXPECT_EQ(a.name, b.name);
            EXPECT_EQ(a.group, b.group);
        } else {
            EXPECT_EQ(a.peer, b.rank);
            EXPECT_EQ(b.peer, a.rank);
        }
    }
}

// Pipelines 0-2 and 1-3, first stage first; one replica of all four.
TEST(SimulatedTimeline, ShowsPipelinesAndReplicas) {
    const RankGroups groups = find_rank_groups(simulated_timeline(two_stages()));
    EXPECT_EQ(groups.pipelines,
              (std::vector<std::vector<Rank>>{{Rank(0), Rank(2)}, {Rank(1), Rank(3)}}));
    EXPECT_EQ(groups.replicas,
              (std::vector<std::vector<Rank>>{{Rank(0), Rank(1), Rank(2), Rank(3)}}));
}

// Without dimensions every rank is for itself.
TEST(SimulatedTimeline, RanksOfUnknownPlaceAreReplicas) {
    engine::Results results;
    results.operations = {operation(0, OperationKind::Compute, 1, "a", 0, 1),
                          operation(2, OperationKind::Compute, 1, "b", 0, 1)};
    const RankGroups groups = find_rank_groups(simulated_timeline(results));
    EXPECT_TRUE(groups.pipelines.empty());
    EXPECT_EQ(groups.replicas, (std::vector<std::vector<Rank>>{{Rank(0)}, {Rank(2)}}));
}

TEST(SimulatedTimeline, CarriesTheLoadOfTheLinks) {
    engine::Results results;
    results.finish = Time::ns(4);
    results.links.resize(1);
    results.links[0].from = "npu0";
    results.links[0].to = "npu1";
    results.load = {Time::ns(2), 2, {0.5F, 1}};
    const RunTimeline timeline = simulated_timeline(results);
    ASSERT_FALSE(timeline.load.empty());
    EXPECT_EQ(timeline.load.links[0].to, "npu1");
    EXPECT_EQ(timeline.load.share(0, 1), 1);
}

}  // namespace
}  // namespace npunet::analysis

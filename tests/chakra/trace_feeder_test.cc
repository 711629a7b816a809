// At any time the feeder's next node is the one with the lowest id among those whose dependencies
// have ended: whatever the ids, the order and form of the file, the window, and the calls between.

#include "chakra/feeder/trace_feeder.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "chakra/files/trace_writer.h"
#include "feeder_oracle.h"
#include "test_files.h"

namespace npunet::chakra {
namespace {

constexpr std::array<std::size_t, 4> windows{1, 2, 7, 1U << 17U};

class TraceFeederTest : public ::testing::Test {
protected:
    std::mt19937_64 random_{20240611};
    test::TemporaryFolder folder_;

    [[nodiscard]] FeederOptions options(std::size_t window,
                                        FollowedDeps followed = FollowedDeps::Data) const {
        FeederOptions options;
        options.window_nodes = window;
        options.followed = followed;
        options.temporary_folder = folder_.path();
        return options;
    }

    /// What a feeder of this trace issues.
    [[nodiscard]] std::vector<std::uint64_t> order_of(const std::vector<Node>& nodes,
                                                      const FeederOptions& options,
                                                      std::size_t most_running = 3) const {
        write_trace(folder_ / "t.0.et", nodes);
        TraceFeeder feeder(folder_ / "t.0.et", options);
        return issued(feeder, most_running);
    }
};

TEST_F(TraceFeederTest, AgreesWithTheOracle) {
    for (int round = 0; round < 160 && !HasFailure(); ++round) {
        RandomTraceOptions made;
        made.nodes = 1 + random_() % 60;
        made.scattered_ids = round % 2 == 0;
        made.shuffled = round / 2 % 2 == 0;
        made.ctrl_deps = round / 4 % 2 == 0;
        made.absent_deps = round / 8 % 2 == 0;
        made.most_deps = random_() % 6;
        const std::vector<Node> nodes = random_trace(made, random_);
        write_trace(folder_ / "t.0.et", nodes);
        for (const std::size_t window : windows) {
            for (const auto followed : {FollowedDeps::Data, FollowedDeps::DataAndCtrl}) {
                SCOPED_TRACE(fmt::format("round {} window {}", round, window));
                FeederOptions how = options(window, followed);
                how.ignore_dangling = true;
                TraceFeeder feeder(folder_ / "t.0.et", how);
                FeederOracle oracle(nodes, followed);
                drive(feeder, oracle, random_);
            }
        }
    }
}

// So many nodes that runs on disk are merged twice and that stretches of the file end.
TEST_F(TraceFeederTest, AgreesWithTheOracleOnLongerTraces) {
    for (int round = 0; round < 8 && !HasFailure(); ++round) {
        RandomTraceOptions made;
        made.nodes = 1500;
        made.scattered_ids = round % 2 == 0;
        made.shuffled = round / 2 % 2 == 0;
        made.most_deps = round < 4 ? 3 : 1;
        const std::vector<Node> nodes = random_trace(made, random_);
        write_trace(folder_ / "t.0.et", nodes);
        TraceFeeder feeder(folder_ / "t.0.et",
                           options(windows.at(static_cast<std::size_t>(round) % 3)));
        FeederOracle oracle(nodes, FollowedDeps::Data);
        drive(feeder, oracle, random_);
    }
}

TEST_F(TraceFeederTest, IsIndependentOfTheWindow) {
    for (int round = 0; round < 4; ++round) {
        RandomTraceOptions made;
        made.nodes = 3000;
        made.scattered_ids = round % 2 == 0;
        made.shuffled = round / 2 % 2 == 0;
        made.most_deps = 1 + random_() % 3;
        const std::vector<Node> nodes = random_trace(made, random_);
        const auto expected = order_of(nodes, options(std::size_t{1} << 20U), 50);
        EXPECT_EQ(expected.size(), nodes.size());
        for (const std::size_t window : {1, 3, 16, 1000}) {
            EXPECT_EQ(order_of(nodes, options(window), 50), expected) << window;
        }
    }
}

TEST_F(TraceFeederTest, IsIndependentOfTheForm) {
    for (int round = 0; round < 10; ++round) {
        RandomTraceOptions made;
        made.nodes = 200;
        made.scattered_ids = round % 2 == 0;
        made.shuffled = round / 2 % 2 == 0;
        const std::vector<Node> nodes = random_trace(made, random_);
        const auto expected = order_of(nodes, options(5));
        TraceMetadata none;
        none.present = false;
        write_trace(folder_ / "packed.0.et.gz", nodes);
        write_trace(folder_ / "json.0.json", nodes, {}, WrittenForm::Json);
        write_trace(folder_ / "json.0.json.gz", nodes, none, WrittenForm::Json);
        write_trace(folder_ / "older.0.et", nodes, none, WrittenForm::V0_0_1);
        write_trace(folder_ / "bare.0.et", nodes, none);
        for (const char* const name :
             {"packed.0.et.gz", "json.0.json", "json.0.json.gz", "older.0.et", "bare.0.et"}) {
            SCOPED_TRACE(name);
            TraceFeeder feeder(folder_ / name, options(5));
            EXPECT_EQ(feeder.node_count(), nodes.size());
            EXPECT_EQ(issued(feeder, 3), expected);
        }
        EXPECT_EQ(TraceFeeder(folder_ / "older.0.et").format().schema, Schema::V0_0_1);
        EXPECT_FALSE(TraceFeeder(folder_ / "bare.0.et").metadata().present);
        EXPECT_TRUE(TraceFeeder(folder_ / "packed.0.et.gz").format().gzip);
    }
}

// What Protobuf merges (dependencies in pieces, one by one, an id twice) the feeder merges too.
TEST_F(TraceFeederTest, FramesThatAreNotCanonical) {
    const std::string twice = field(10, field(1, "a") + field(9, 1) + field(9, 2));
    const auto path = folder_.write(
        "t.0.et", frame("") + frame(field(1, 9) + field(3, 4) + field(1, 1) + twice) +
                      frame(field(5, std::string("\x01\x03")) + field(5, 1) + field(1, 2) + twice) +
                      frame(field(2, "x") + field(2, "three") + field(1, 3)));
    TraceFeeder feeder(path, options(1));
    const NodeView* node = feeder.next_issuable_node();
    ASSERT_NE(node, nullptr);
    EXPECT_EQ(node->id(), 1U);
    EXPECT_EQ(node->integer("a"), 2);
    EXPECT_EQ(feeder.lookup_node(3).name(), "three");
    EXPECT_EQ(feeder.lookup_node(2).integer("a"), 2);
    EXPECT_EQ(feeder.next_issuable_node()->id(), 3U);
    EXPECT_EQ(feeder.next_issuable_node(), nullptr);
    feeder.free_children_nodes(3);
    EXPECT_EQ(feeder.next_issuable_node(), nullptr);
    feeder.free_children_nodes(1);
    EXPECT_EQ(feeder.next_issuable_node()->id(), 2U);
}

// More frames than a block of the file, one of them longer than several blocks.
TEST_F(TraceFeederTest, FramesOfAnyLength) {
    RandomTraceOptions made;
    made.nodes = 2000;
    made.shuffled = true;
    std::vector<Node> nodes = random_trace(made, random_);
    for (Node& node : nodes) {
        node.inputs.values.assign(random_() % 5000, 'v');
    }
    nodes[700].inputs.values.assign(1'000'000, 'v');
    write_trace(folder_ / "t.0.et", nodes);
    TraceFeeder feeder(folder_ / "t.0.et", options(10));
    FeederOracle oracle(nodes, FollowedDeps::Data);
    drive(feeder, oracle, random_);
}

TEST_F(TraceFeederTest, AbsentDependencies) {
    std::vector<Node> nodes(2);
    nodes[0].id = 1;
    nodes[1].id = 2;
    nodes[1].name = "two";
    nodes[1].ctrl_deps = {77, 77, 1};
    write_trace(folder_ / "ctrl.0.et", nodes);
    TraceFeeder data(folder_ / "ctrl.0.et", options(1));
    EXPECT_EQ(issued(data, 2), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(data.absent_ctrl_deps(), 0U);
    TraceFeeder both(folder_ / "ctrl.0.et", options(1, FollowedDeps::DataAndCtrl));
    EXPECT_EQ(issued(both, 2), (std::vector<std::uint64_t>{1, 2}));
    EXPECT_EQ(both.absent_ctrl_deps(), 2U);

    nodes[1].data_deps = {1, 78};
    write_trace(folder_ / "data.0.et", nodes);
    FeederOptions lenient = options(1);
    lenient.ignore_dangling = true;
    TraceFeeder ignoring(folder_ / "data.0.et", lenient);
    EXPECT_EQ(issued(ignoring, 2), (std::vector<std::uint64_t>{1, 2}));
    const auto found = problem_of([&] {
        TraceFeeder strict(folder_ / "data.0.et", options(1));
        (void)issued(strict, 2);
    });
    EXPECT_EQ(found.file, folder_ / "data.0.et");
    EXPECT_EQ(found.place, "node 2 'two'");
    EXPECT_EQ(found.found, "a data dependency on node 78");
}

TEST_F(TraceFeederTest, MisuseIsALogicError) {
    write_trace(folder_ / "t.0.et", {Node{}});
    TraceFeeder feeder(folder_ / "t.0.et");
    const auto refused = [&](auto call) {
        EXPECT_THROW(call(), std::logic_error);
        EXPECT_TRUE(feeder.has_nodes_to_issue());
    };
    for (const std::uint64_t id : {0, 5}) {  // not issued yet, absent
        refused([&] { feeder.free_children_nodes(id); });
        refused([&] { feeder.remove_node(id); });
        refused([&] { feeder.push_back_issuable_node(id); });
    }
    EXPECT_THROW((void)feeder.lookup_node(5), std::out_of_range);
    EXPECT_EQ(feeder.lookup_node(0).id(), 0U);
    ASSERT_NE(feeder.next_issuable_node(), nullptr);
    EXPECT_EQ(feeder.next_issuable_node(), nullptr);
    refused([&] { feeder.remove_node(0); });
    feeder.push_back_issuable_node(0);
    refused([&] { feeder.push_back_issuable_node(0); });
    refused([&] { feeder.free_children_nodes(0); });
    ASSERT_NE(feeder.next_issuable_node(), nullptr);
    feeder.free_children_nodes(0);
    refused([&] { feeder.free_children_nodes(0); });
    refused([&] { feeder.push_back_issuable_node(0); });
    EXPECT_EQ(feeder.lookup_node(0).id(), 0U);
    feeder.remove_node(0);
    EXPECT_FALSE(feeder.has_nodes_to_issue());
    EXPECT_THROW((void)feeder.lookup_node(0), std::out_of_range);
    EXPECT_THROW(feeder.remove_node(0), std::logic_error);
}

TEST_F(TraceFeederTest, MayBeMoved) {
    write_trace(folder_ / "t.0.et", random_trace({}, random_));
    TraceFeeder feeder(folder_ / "t.0.et");
    const std::uint64_t first = feeder.next_issuable_node()->id();
    TraceFeeder moved = std::move(feeder);
    moved.free_children_nodes(first);
    EXPECT_EQ(moved.finished_count(), 1U);
    feeder = std::move(moved);
    EXPECT_EQ(feeder.finished_count(), 1U);
}

// Temporary files have no names: nothing is left, and nothing seen, in their folder.
TEST_F(TraceFeederTest, LeavesNothingBehind) {
    RandomTraceOptions made;
    made.nodes = 500;
    made.shuffled = true;
    write_trace(folder_ / "t.0.json.gz", random_trace(made, random_), {}, WrittenForm::Json);
    const auto temporary = folder_ / "temporary";
    std::filesystem::create_directory(temporary);
    FeederOptions how = options(1);
    how.temporary_folder = temporary;
    TraceFeeder feeder(folder_ / "t.0.json.gz", how);
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
    EXPECT_EQ(issued(feeder, 2).size(), 500U);
    EXPECT_TRUE(std::filesystem::is_empty(temporary));
}

}  // namespace
}  // namespace npunet::chakra

// Traces that cannot be executed end with one InputError that names the file, the place and, where
// nodes wait for each other, a cycle that is really there; files of other producers are executed.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <regex>

#include "chakra/feeder/trace_feeder.h"
#include "chakra/files/trace_writer.h"
#include "feeder_oracle.h"
#include "test_files.h"
#include "tests/support/shared_data.h"

namespace npunet::chakra::feeder_refusals_test {
namespace {

using ::testing::HasSubstr;
using Ids = std::vector<std::uint64_t>;

class FeederRefusals : public ::testing::Test {
protected:
    std::mt19937_64 random_{5};
    test::TemporaryFolder folder_;

    /// What is wrong with the file; it is read with windows of several sizes and has to be the same
    /// with all.
    [[nodiscard]] InputProblem problem(const std::filesystem::path& path,
                                       FollowedDeps followed = FollowedDeps::Data) const {
        InputProblem first;
        for (const std::size_t window : {1000, 1, 3}) {
            FeederOptions options;
            options.window_nodes = window;
            options.followed = followed;
            const auto found = problem_of([&] {
                TraceFeeder feeder(path, options);
                (void)issued(feeder, 4);
            });
            EXPECT_EQ(found.file, path.string());
            EXPECT_FALSE(found.place.empty());
            EXPECT_FALSE(found.expected.empty());
            EXPECT_FALSE(found.remedy.empty());
            first = window == 1000 ? found : first;
            EXPECT_EQ(found.place.empty(), first.place.empty());
        }
        return first;
    }

    /// Of the nodes as a file.
    [[nodiscard]] InputProblem problem(const std::vector<Node>& nodes,
                                       FollowedDeps followed = FollowedDeps::Data) const {
        write_trace(folder_ / "t.0.et", nodes);
        return problem(folder_ / "t.0.et", followed);
    }
};

/// The ids that a message about a cycle names, in its order.
Ids named_nodes(const std::string& text) {
    Ids ids;
    static const std::regex node("node ([0-9]+) '");
    for (std::sregex_iterator at(text.begin(), text.end(), node), end; at != end; ++at) {
        ids.push_back(std::stoull((*at)[1]));
    }
    return ids;
}

/// Each node that the text names waits for the next one, and the first is the last.
void expect_real_cycle(const InputProblem& found, const std::vector<Node>& nodes, bool ctrl) {
    Ids ids = named_nodes(found.found);
    ASSERT_FALSE(ids.empty()) << found.found;
    // Between the last two of a long one are those that the text only counts.
    const bool counted = found.found.find(" more waits for ") != std::string::npos;
    const bool beyond = found.found.find("a cycle beyond") != std::string::npos;
    EXPECT_TRUE(beyond || ids.front() == ids.back()) << found.found;
    if (counted) {
        ids.pop_back();
    } else if (ids.size() == 1) {
        ids.push_back(ids.front());
    }
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
        const auto node = std::find_if(nodes.begin(), nodes.end(),
                                       [&](const Node& one) { return one.id == ids[i]; });
        ASSERT_NE(node, nodes.end());
        const auto waits_as = [&](const std::vector<std::uint64_t>& deps) {
            return std::count(deps.begin(), deps.end(), ids[i + 1]) > 0;
        };
        EXPECT_TRUE(waits_as(node->data_deps) || (ctrl && waits_as(node->ctrl_deps)))
            << ids[i] << " does not wait for " << ids[i + 1] << ": " << found.found;
    }
}

TEST_F(FeederRefusals, Cycles) {
    for (int round = 0; round < 100; ++round) {
        RandomTraceOptions made;
        made.nodes = 3 + random_() % 60;
        made.scattered_ids = round % 2 == 0;
        made.shuffled = round / 2 % 2 == 0;
        made.ctrl_deps = round % 5 == 0;
        std::vector<Node> nodes = random_trace(made, random_);
        // A cycle through a few of them.
        std::vector<std::size_t> members(nodes.size());
        std::iota(members.begin(), members.end(), 0);
        std::shuffle(members.begin(), members.end(), random_);
        members.resize(1 + random_() % nodes.size());
        for (std::size_t i = 0; i < members.size(); ++i) {
            Node& node = nodes[members[i]];
            auto& deps = made.ctrl_deps ? node.ctrl_deps : node.data_deps;
            deps.push_back(nodes[members[(i + 1) % members.size()]].id);
        }
        SCOPED_TRACE(round);
        const auto followed = made.ctrl_deps ? FollowedDeps::DataAndCtrl : FollowedDeps::Data;
        const auto found = problem(nodes, followed);
        EXPECT_EQ(found.expected, "dependencies without cycles");
        expect_real_cycle(found, nodes, made.ctrl_deps);
    }
}

TEST_F(FeederRefusals, CycleIsToldOnce) {
    std::vector<Node> nodes(4);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        nodes[i].id = 10 * (i + 1);
        nodes[i].name = std::string(1, static_cast<char>('a' + i));
        nodes[i].data_deps = {10 * ((i + 1) % 3 + 1)};
    }
    nodes[3].data_deps = {20};  // waits for the cycle and is not in it
    EXPECT_EQ(problem(nodes).found,
              "a cycle of 3 nodes: node 10 'a' waits for node 20 'b' waits for node 30 'c' waits "
              "for node 10 'a'");
    nodes[1].data_deps = {20, 20};
    EXPECT_EQ(problem(nodes).found, "a node that waits for itself: node 20 'b'");
}

TEST_F(FeederRefusals, LongCycles) {
    for (const std::size_t length : {17, 10'500}) {
        std::vector<Node> nodes(length);
        for (std::size_t i = 0; i < length; ++i) {
            nodes[i].id = i;
            nodes[i].data_deps = {(i + 1) % length};
        }
        const auto found = problem(nodes);
        expect_real_cycle(found, nodes, false);
        EXPECT_LT(found.found.size(), 1000U);
    }
}

// What runs may still free others: only when all has ended is it a cycle.
TEST_F(FeederRefusals, CycleIsNoErrorWhileNodesRun) {
    std::vector<Node> nodes(3);
    nodes[1].id = 1;
    nodes[1].data_deps = {2};
    nodes[2].id = 2;
    nodes[2].data_deps = {1, 0};
    write_trace(folder_ / "t.0.et", nodes);
    TraceFeeder feeder(folder_ / "t.0.et");
    EXPECT_EQ(feeder.next_issuable_node()->id(), 0U);
    EXPECT_EQ(feeder.next_issuable_node(), nullptr);
    feeder.free_children_nodes(0);
    EXPECT_THROW((void)feeder.next_issuable_node(), InputError);
    EXPECT_THROW((void)feeder.next_issuable_node(), InputError);  // and it stays so
}

class MadeFiles : public FeederRefusals {
protected:
    void SetUp() override {
        folder_of_made_ = std::filesystem::path(NPUNET_SHARED_DIR) / "data/chakra/made";
        NPUNET_SKIP_WITHOUT_SHARED_DATA();
    }
    [[nodiscard]] std::filesystem::path made(const std::string& name) const {
        return folder_of_made_ / name;
    }
    [[nodiscard]] Ids order_of(const std::string& name,
                               FollowedDeps followed = FollowedDeps::Data) const {
        FeederOptions options;
        options.window_nodes = 1000;
        options.followed = followed;
        TraceFeeder feeder(made(name), options);
        return issued(feeder, 1);
    }

    std::filesystem::path folder_of_made_;
};

TEST_F(MadeFiles, AreExecuted) {
    for (const char* const name : {"late_child_of_first.et", "gzipped.et"}) {
        const Ids order = order_of(name);
        ASSERT_EQ(order.size(), 5001U) << name;
        EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << name;
    }
    EXPECT_EQ(order_of("dup_dep.et"), (Ids{0, 1}));
    EXPECT_EQ(order_of("no_metadata.et"), (Ids{0, 1}));
    EXPECT_EQ(order_of("empty_metadata.et"), (Ids{0, 1}));
    EXPECT_EQ(order_of("default_node_zero_length.et"), (Ids{0, 1}));
    EXPECT_EQ(order_of("ctrl_only.et", FollowedDeps::DataAndCtrl), (Ids{0, 1}));
    EXPECT_EQ(order_of("empty_file.et"), Ids{});
}

TEST_F(MadeFiles, AreRefused) {
    EXPECT_THAT(problem(made("cycle.et")).found, HasSubstr("a cycle of 2 nodes: node 0 "));
    EXPECT_THAT(problem(made("self_dep.et")).found, HasSubstr("a node that waits for itself"));
    EXPECT_THAT(problem(made("dangling.et")).found, HasSubstr("a data dependency on node "));
    const auto truncated = problem(made("truncated.et"));
    EXPECT_EQ(truncated.place, "frame 2 at byte 16");
    EXPECT_THAT(truncated.remedy, HasSubstr("truncated"));
    const auto again = problem(made("dup_id.et"));
    EXPECT_EQ(again.place, "frame 2 at byte 16");
    EXPECT_THAT(again.found, HasSubstr("node 0 again"));
}

const std::string metadata = frame(field(1, "0.0.4"));                           // 8 bytes
const std::string compute = frame(field(1, 1) + field(2, "mul") + field(3, 4));  // 10 bytes

TEST_F(FeederRefusals, MalformedFramesHaveFileFrameAndByte) {
    // So many that no look at the beginning of the file finds the damage.
    std::string whole = metadata;
    for (std::uint64_t id = 0; id < 5000; ++id) {
        whole += frame(field(1, id + 1000) + field(3, 4));
    }
    const std::string place = fmt::format("frame 5001 at byte {}", whole.size());
    const auto refused = [&](const std::string& bytes) {
        const auto found = problem(folder_.write("t.0.et", whole + bytes));
        EXPECT_EQ(found.place, place);
        return found.found;
    };
    EXPECT_THAT(refused(frame("\x0A\xFFxyz")), HasSubstr("5 bytes that are no node"));
    EXPECT_THAT(refused(frame(field(1, 3) + field(10, "\x0A\xFF"))),
                HasSubstr("bytes that are no node"));
    EXPECT_THAT(refused(frame(field(1, 3) + field(3, 9))), HasSubstr("node 3 of type 9"));
    EXPECT_THAT(refused(compute.substr(0, 9)), HasSubstr("the end of the file within a frame"));
    EXPECT_THAT(refused("\x80"), HasSubstr("the end of the file within a frame"));
    EXPECT_THAT(refused(std::string(10, '\xFF')), HasSubstr("a length of more than 5 bytes"));
    EXPECT_THAT(refused(varint(0xFFFFFFFF)), HasSubstr("a frame of 4294967295 bytes"));
    EXPECT_THAT(refused(varint(100'000'000) + "x"), HasSubstr("a frame of 100000000 bytes"));
    EXPECT_THAT(refused(varint(60'000'000) + "x"), HasSubstr("the end of the file within a frame"));
    EXPECT_THAT(refused(frame(field(1, 1003) + field(3, 4))),
                HasSubstr("node 1003 again (node number 5000 of the file; the first is number 3 "));
}

TEST_F(FeederRefusals, FilesThatAreNone) {
    EXPECT_EQ(problem_of([&] { TraceFeeder(folder_ / "none.et"); }).found, "no such file");
    EXPECT_EQ(problem_of([&] { TraceFeeder feeder(folder_.path()); }).found, "a folder");
    EXPECT_THAT(
        problem_of([&] { TraceFeeder feeder(folder_.write("t.et", "this is no trace")); }).found,
        ::testing::Not(::testing::IsEmpty()));
}

// Types of later schemas may be kept, as they may when a trace is read.
TEST_F(FeederRefusals, UnknownTypesMayBeKept) {
    const auto path = folder_.write("t.0.et", metadata + frame(field(1, 3) + field(3, 9)));
    FeederOptions options;
    options.read.unknown_types = UnknownNodeTypes::Keep;
    TraceFeeder feeder(path, options);
    EXPECT_EQ(feeder.next_issuable_node()->type_number(), 9);
}

}  // namespace
}  // namespace npunet::chakra::feeder_refusals_test

// Logs of recorded programs as traces: what follows what, ranks in place of others, and what is no
// log.

#include <gmock/gmock.h>

#include "base/errors.h"
#include "generators/recorded/recorded_conversion.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators::recorded {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string two_groups =
    R"({"group": 0, "ranks": [0, 1, 2, 3], "backend": "gloo"}
{"group": 1, "ranks": [0, 1], "backend": "gloo"}
{"group": 2, "ranks": [2, 3], "backend": "gloo"}
)";

std::string log_of(int rank, const std::string& records) {
    return R"({"format": "npunet-record", "version": 1, "rank": )" + std::to_string(rank) +
           ", \"ranks\": 4}\n" + two_groups + records + "{\"end\": 0}\n";
}

std::string operation(const std::string& name, const std::string& more = "") {
    return R"({"op": ")" + name +
           R"(", "phase": "forward", "kernel": "matmul", "dtype": "bf16", "shape": [1, 2, 3, 4], )"
           R"("flops": 48, "bytes": 100)" +
           more + "}\n";
}

std::string all_reduce(int call, int group, const std::string& more = "") {
    return R"({"call": )" + std::to_string(call) +
           R"(, "type": "all_reduce", "function": "allreduce", "group": )" + std::to_string(group) +
           R"(, "bytes": 64, "at": "train.py:5")" + more + "}\n";
}

class RecordedTraceTest : public ::testing::Test {
protected:
    /// The nodes of a rank whose log has these records, as `rank` does them.
    std::vector<chakra::Node> nodes(int logged, const std::string& records, int rank = -1,
                                    const profiler::OperatorTimes* times = nullptr) {
        const auto file = folder_.write("rank.jsonl", log_of(logged, records));
        const RecordedGroups groups({read_log_header(file)});
        const GroupFamilies families{{0}, {1, 2}};
        const Rank own(rank < 0 ? logged : rank);
        const RankSubstitution substitution(groups, families, Rank(logged), own);
        std::vector<chakra::Node> result;
        RecordedTrace trace(
            substitution, own, [&result](const chakra::Node& node) { result.push_back(node); },
            times);
        warnings_ =
            read_recorded_log(file, [&trace](const RecordedEvent& event) { trace.add(event); });
        matches_ = trace.totals().matches;
        return result;
    }

    std::string refusal(const std::string& text) {
        const auto file = folder_.write("rank.jsonl", text);
        try {
            read_recorded_log(file, [](const RecordedEvent& /*event*/) {});
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

    test::TemporaryFolder folder_;
    std::vector<LogWarning> warnings_;
    RecordedMatches matches_;
};

TEST_F(RecordedTraceTest, OperationsFollowEachOther) {
    const auto made = nodes(0, operation("mm") + operation("add"));
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(made[0].name, "forward.mm");
    EXPECT_EQ(made[0].integer("num_ops"), 48);
    EXPECT_EQ(made[0].integer("tensor_size"), 100);
    EXPECT_EQ(made[0].text("kernel"), "matmul");
    EXPECT_EQ(made[0].text("dtype"), "bf16");
    EXPECT_THAT(std::get<std::vector<std::int64_t>>(made[0].find("shape")->value),
                ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(made[0].data_deps, IsEmpty());
    EXPECT_THAT(made[1].data_deps, ElementsAre(1));
}

// The times of equal operations in order, then from the first again. What has a time has no number
// of operations, which the roofline of a system would take; what has none keeps it.
TEST_F(RecordedTraceTest, OperationsTakeMeasuredTimes) {
    const profiler::OperatorTimes times{{"aten::mm", {{"float32[8,4]", {1'200, 3'499}}}}};
    const std::string known = R"(, "inputs": "float32[8,4]")";
    const auto made = nodes(0,
                            operation("mm", known) + operation("mm", known) +
                                operation("mm", known) + operation("add", known) +
                                operation("mm", R"(, "inputs": "float32[8,5]")") + operation("mm"),
                            0, &times);
    ASSERT_EQ(made.size(), 6U);
    for (const auto& [node, ns] : {std::pair{0, 1'200}, {1, 3'499}, {2, 1'200}}) {
        const chakra::Node& one = made[static_cast<std::size_t>(node)];
        EXPECT_EQ(one.integer("duration_ns"), ns);
        EXPECT_EQ(one.duration_micros, ns == 1'200 ? 1U : 3U);
        EXPECT_EQ(one.integer("num_ops"), std::nullopt);
        EXPECT_EQ(one.integer("tensor_size"), 100);
        EXPECT_EQ(one.text("kernel"), "matmul");
    }
    for (const std::size_t node : {3U, 4U, 5U}) {
        EXPECT_EQ(made[node].integer("duration_ns"), std::nullopt);
        EXPECT_EQ(made[node].integer("num_ops"), 48);
    }
    EXPECT_EQ(matches_.matched.count, 3);
    EXPECT_EQ(matches_.matched.flops, 3 * 48);
    EXPECT_EQ(matches_.measured_ns, 1'200 + 3'499 + 1'200);
    ASSERT_EQ(matches_.unmatched.size(), 2U);
    EXPECT_EQ(matches_.unmatched.at("aten::mm").count, 2);
    EXPECT_EQ(matches_.unmatched.at("aten::add").flops, 48);
}

// Node 2 goes on beside 3 and 4; 5 is behind the wait. 4 is the second on its communicator.
TEST_F(RecordedTraceTest, CallsGoOnUntilTheyAreWaitedFor) {
    const auto made =
        nodes(0, operation("a") + all_reduce(0, 1) + operation("b") + all_reduce(1, 1) +
                     "{\"wait\": 0}\n" + operation("c") + operation("d", R"(, "after": [1])"));
    ASSERT_EQ(made.size(), 6U);
    EXPECT_THAT(made[1].data_deps, ElementsAre(1));
    EXPECT_THAT(made[2].data_deps, ElementsAre(1));
    EXPECT_THAT(made[3].data_deps, ElementsAre(3, 2));
    EXPECT_THAT(made[4].data_deps, ElementsAre(3, 2));
    EXPECT_THAT(made[5].data_deps, ElementsAre(5, 4));
}

// PyTorch's names become those of traces; what is no number of a GPU has none.
TEST_F(RecordedTraceTest, CollectivesHaveTheTypeOfTheirElements) {
    const auto type = [this](const std::string& name) {
        return std::string(nodes(0, all_reduce(0, 1, R"(, "dtype": ")" + name + "\""))
                               .at(0)
                               .text("dtype")
                               .value_or("none"));
    };
    EXPECT_EQ(type("bfloat16"), "bf16");
    EXPECT_EQ(type("float32"), "fp32");
    EXPECT_EQ(type("float8_e4m3fn"), "fp8");
    EXPECT_EQ(type("uint8"), "int8");
    EXPECT_EQ(type("int64"), "none");
}

TEST_F(RecordedTraceTest, StreamsAreOrderedByEvents) {
    const auto made =
        nodes(0, operation("a") + "{\"record_event\": 0, \"stream\": 0}\n" + operation("b") +
                     "{\"wait_event\": 0, \"stream\": 1}\n" + operation("c", R"(, "stream": 1)"));
    ASSERT_EQ(made.size(), 3U);
    EXPECT_THAT(made[1].data_deps, ElementsAre(1));
    EXPECT_THAT(made[2].data_deps, ElementsAre(1));
}

TEST_F(RecordedTraceTest, MessagesOfAGroupHaveTagsOfTheirOwn) {
    const auto made = nodes(
        2, R"({"call": 0, "type": "send", "function": "send", "group": 2, "bytes": 8, "peer": 3, )"
           R"("tag": 7, "at": "train.py:9"})"
           "\n");
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].type, chakra::NodeType::CommSend);
    EXPECT_EQ(made[0].integer("comm_src"), 2);
    EXPECT_EQ(made[0].integer("comm_dst"), 3);
    EXPECT_EQ(made[0].integer("comm_tag"), 2 * 65536 + 7);
}

// Rank 3 does in the group {2, 3} what rank 1 does in {0, 1}. The root of the world stays.
TEST_F(RecordedTraceTest, RanksStandForOthers) {
    const auto made = nodes(
        1,
        all_reduce(0, 1) +
            R"({"call": 1, "type": "recv", "function": "recv", "group": 0, "bytes": 8, "peer": 0, )"
            R"("tag": 0, "at": ""})"
            "\n" +
            R"({"call": 2, "type": "broadcast", "function": "broadcast", "group": 0, "bytes": 8, )"
            R"("root": 0, "at": ""})"
            "\n",
        3);
    ASSERT_EQ(made.size(), 3U);
    EXPECT_EQ(made[0].text("pg_name"), "3");
    EXPECT_EQ(made[1].integer("comm_src"), 2);
    EXPECT_EQ(made[1].integer("comm_dst"), 3);
    EXPECT_EQ(made[2].integer("comm_root"), 0);
}

// Rank 0 is in no group with rank 3, so that no rank is to rank 2 what 3 is to 0.
TEST_F(RecordedTraceTest, PeersInNoCommonGroupHaveNoCounterpart) {
    const auto file = folder_.write(
        "rank.jsonl", R"({"format": "npunet-record", "version": 1, "rank": 0, "ranks": 4})"
                      "\n"
                      R"({"group": 0, "ranks": [0, 1], "backend": "gloo"})"
                      "\n"
                      R"({"group": 1, "ranks": [2, 3], "backend": "gloo"})"
                      "\n{\"end\": 0}\n");
    const RecordedGroups groups({read_log_header(file)});
    const RankSubstitution substitution(groups, {{0, 1}}, Rank(0), Rank(2));
    EXPECT_EQ(substitution.peer(Rank(1)), Rank(3));
    EXPECT_EQ(test::problem_of([&] { return substitution.peer(Rank(3)); }).found,
              "no rank in place of rank 3, which rank 0 sends to or receives from");
}

TEST_F(RecordedTraceTest, UnequalAllToAllsListTheirParts) {
    const std::string record =
        R"({"call": 0, "type": "all_to_all", "function": "alltoall_base", "group": 1, "at": "", )";
    const auto made = nodes(0, record + R"("bytes": 12, "sizes": [4, 8]})" + "\n" + record +
                                   R"("bytes": 8, "sizes": [4, 4]})" + "\n");
    ASSERT_EQ(made.size(), 2U);
    EXPECT_THAT(std::get<std::vector<std::int64_t>>(made[0].find("comm_sizes")->value),
                ElementsAre(4, 8));
    EXPECT_EQ(made[1].find("comm_sizes"), nullptr);
}

TEST_F(RecordedTraceTest, WarningsAreKept) {
    static_cast<void>(nodes(0, "{\"warning\": \"a value\", \"at\": \"train.py:3\"}\n"));
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_EQ(warnings_[0].place, "train.py:3");
}

TEST_F(RecordedTraceTest, WhatIsNoLogIsRefused) {
    EXPECT_THAT(refusal("{}\n"), HasSubstr("the log of a rank"));
    EXPECT_THAT(refusal(""), HasSubstr("the log of a rank"));
    EXPECT_THAT(refusal("{\"format\": \"npunet-record\", \"version\": 2}\n"),
                HasSubstr("line 1: found version 2"));
    EXPECT_THAT(refusal(log_of(4, "")), HasSubstr("rank 4"));
    EXPECT_THAT(refusal(log_of(0, "[1]\n")), HasSubstr("line 5: found [1]; expected an object"));
    EXPECT_THAT(refusal(log_of(0, "{\"op\": 3}\n")), HasSubstr("with phase"));
    EXPECT_THAT(refusal(log_of(0, all_reduce(0, 3))), HasSubstr("group 3"));
    EXPECT_THAT(refusal(log_of(0, all_reduce(0, 1, R"(, "root": 2)"))), HasSubstr("rank 2"));
    EXPECT_THAT(refusal(log_of(0, "{\"else\": 3}\n")), HasSubstr("no known kind"));
    const std::string whole = log_of(0, operation("mm"));
    EXPECT_THAT(refusal(whole.substr(0, whole.size() - 11)), HasSubstr("ends a log"));
}

}  // namespace
}  // namespace npunet::generators::recorded

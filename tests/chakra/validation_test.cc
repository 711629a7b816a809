// Every code of a finding, provoked by a trace made for it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "chakra/files/trace_writer.h"
#include "chakra/validation/workload_validation.h"
#include "test_files.h"

namespace npunet::chakra::validation_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Nodes = std::vector<Node>;

Node compute(std::uint64_t id, std::vector<std::uint64_t> data = {},
             std::vector<std::uint64_t> ctrl = {}) {
    Node node;
    node.id = id;
    node.name = fmt::format("n{}", id);
    node.type = NodeType::Compute;
    node.data_deps = std::move(data);
    node.ctrl_deps = std::move(ctrl);
    return node;
}

Node collective(std::uint64_t id, CollectiveType type, std::int64_t bytes,
                const std::string& group = "") {
    Node node = compute(id);
    node.type = NodeType::CommCollective;
    node.set_integer("comm_type", static_cast<std::int64_t>(type));
    node.set_integer("comm_size", bytes);
    if (!group.empty()) {
        node.set_text("pg_name", group);
    }
    return node;
}

Node all_reduce(std::uint64_t id, std::int64_t bytes = 64, const std::string& group = "") {
    return collective(id, CollectiveType::AllReduce, bytes, group);
}

Node message(std::uint64_t id, NodeType type, std::int32_t peer, std::int64_t bytes,
             std::int32_t tag = 0) {
    Node node = compute(id);
    node.type = type;
    node.set_int32(type == NodeType::CommSend ? "comm_dst" : "comm_src", peer);
    node.set_integer("comm_size", bytes);
    node.set_int32("comm_tag", tag);
    return node;
}

Node send(std::uint64_t id, std::int32_t to, std::int64_t bytes = 8, std::int32_t tag = 0) {
    return message(id, NodeType::CommSend, to, bytes, tag);
}

Node receive(std::uint64_t id, std::int32_t from, std::int64_t bytes = 8, std::int32_t tag = 0) {
    return message(id, NodeType::CommReceive, from, bytes, tag);
}

class Validation : public ::testing::Test {
protected:
    /// The traces of ranks 0, 1, ...: a whole workload.
    ValidationResult validate(const std::vector<Nodes>& ranks, const std::string& groups = "",
                              FollowedDeps followed = FollowedDeps::DataAndCtrl) {
        ValidationInput input = input_of(ranks, groups);
        input.followed = followed;
        return validate_traces(input);
    }

    ValidationInput input_of(const std::vector<Nodes>& ranks, const std::string& groups = "") {
        ValidationInput input;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            const auto path = folder_ / fmt::format("w.{}.et", rank);
            write_trace(path, ranks[rank], TraceMetadata{});
            input.traces.push_back({path, Rank(rank)});
        }
        input.whole_workload = true;
        if (!groups.empty()) {
            input.groups = folder_.write("groups.json", groups);
        }
        return input;
    }

    /// The traces of one rank in a workload of which nothing else is known.
    ValidationResult validate_alone(const Nodes& nodes, const std::string& groups = "") {
        ValidationInput input = input_of({nodes}, groups);
        input.whole_workload = false;
        return validate_traces(input);
    }

    test::TemporaryFolder folder_;
};

/// "error rank-or-minus node-or-minus code".
std::vector<std::string> lines(const ValidationResult& result) {
    std::vector<std::string> lines;
    for (const Finding& finding : result.findings.findings()) {
        lines.push_back(fmt::format(
            "{} {} {} {}", name_of(finding.severity),
            finding.trace == no_trace ? std::string("-") : fmt::format("{}", finding.trace),
            finding.node ? fmt::format("{}", *finding.node) : std::string("-"),
            name_of(finding.code)));
    }
    return lines;
}

std::string message_of(const ValidationResult& result, std::size_t index = 0) {
    return index < result.findings.findings().size() ? result.findings.findings()[index].message
                                                     : "no finding";
}

TEST_F(Validation, SoundTracesHaveNoFindings) {
    const std::string groups = R"({"1": [0, 1], "0": [0]})";
    EXPECT_THAT(
        lines(validate({{all_reduce(5), send(6, 1), all_reduce(7, 8, "1"), all_reduce(8, 4, "0")},
                        {all_reduce(1), receive(2, 0), all_reduce(3, 8, "1")}},
                       groups)),
        IsEmpty());
}

TEST_F(Validation, Dependencies) {
    EXPECT_THAT(
        lines(validate({{compute(0), compute(1, {0, 9}, {8})}})),
        ElementsAre("error 0 1 dangling-dependency", "warning 0 1 dangling-control-dependency"));
    EXPECT_THAT(lines(validate({{compute(0, {0})}})), ElementsAre("error 0 0 self-dependency"));
    EXPECT_THAT(lines(validate({{compute(3), compute(4), compute(3)}})),
                ElementsAre("error 0 3 duplicate-id"));
    EXPECT_THAT(
        lines(validate({{compute(0), compute(1, {0, 0, 0})}})),
        ElementsAre("warning 0 1 duplicate-dependency", "warning 0 1 duplicate-dependency"));
    const auto cycle =
        validate({{compute(0), compute(1, {0, 3}), compute(2, {1}), compute(3, {2})}});
    EXPECT_THAT(lines(cycle), ElementsAre("error 0 1 cyclic-dependency"));
    EXPECT_THAT(message_of(cycle), HasSubstr("1 waits for 3 waits for 2 waits for 1"));
}

// A dependency that holds no node back is odd, not wrong.
TEST_F(Validation, ControlDependenciesAreErrorsWhereTheyAreFollowed) {
    const Nodes nodes{compute(0, {}, {1}), compute(1, {0}), compute(2, {}, {2})};
    EXPECT_THAT(lines(validate({nodes})),
                ElementsAre("error 0 2 self-dependency", "error 0 0 cyclic-dependency"));
    EXPECT_THAT(lines(validate({nodes}, "", FollowedDeps::Data)),
                ElementsAre("warning 0 2 self-dependency", "warning 0 0 cyclic-dependency"));
}

TEST_F(Validation, Types) {
    Node invalid = compute(1);
    invalid.type = NodeType::Invalid;
    Node unknown = compute(2);
    unknown.type = static_cast<NodeType>(9);
    EXPECT_THAT(lines(validate({{invalid, unknown, compute(3)}})),
                ElementsAre("warning 0 1 invalid-node", "error 0 2 unknown-node-type"));
}

TEST_F(Validation, MissingAttributes) {
    Node bare = compute(0);
    bare.type = NodeType::CommCollective;
    EXPECT_THAT(lines(validate({{bare}})),
                ElementsAre("error 0 0 missing-attribute", "error 0 0 missing-attribute"));
    bare.set_bool("is_cpu_op", true);  // the call on the host, not the collective
    EXPECT_THAT(lines(validate({{bare}})), IsEmpty());

    Node sending = compute(0);
    sending.type = NodeType::CommSend;
    EXPECT_THAT(message_of(validate({{sending}, {compute(0)}})), HasSubstr("comm_size"));
    EXPECT_THAT(message_of(validate({{sending}, {compute(0)}}), 1), HasSubstr("comm_dst"));
    Node load = compute(0);
    load.type = NodeType::MemoryLoad;
    load.set("tensor_size", std::monostate());  // real traces have attributes without a value
    EXPECT_THAT(lines(validate({{load}})), ElementsAre("error 0 0 missing-attribute"));
}

TEST_F(Validation, KindsAndRanges) {
    const auto code = [&](const char* attribute, const AttributeValue& value) {
        Node node = all_reduce(0);
        node.set(attribute, value);
        const auto found = lines(validate({{node}, {all_reduce(0)}}));
        return found.empty() ? "" : found.front();
    };
    EXPECT_EQ(code("comm_size", std::string("64")), "error 0 0 wrong-attribute-kind");
    EXPECT_EQ(code("comm_type", 1.0), "error 0 0 wrong-attribute-kind");
    EXPECT_EQ(code("pg_name", 1.5), "error 0 0 wrong-attribute-kind");
    EXPECT_EQ(code("is_cpu_op", std::string("no")), "error 0 0 wrong-attribute-kind");
    EXPECT_EQ(code("involve_dims", std::int32_t{1}), "error 0 0 wrong-attribute-kind");
    EXPECT_EQ(code("comm_sizes", std::vector<std::int64_t>{64}), "error 0 0 wrong-attribute-kind");
    EXPECT_EQ(code("comm_size", std::int64_t{-1}), "error 0 0 attribute-out-of-range");
    EXPECT_EQ(code("comm_size", std::uint64_t{1} << 63), "error 0 0 attribute-out-of-range");
    EXPECT_EQ(code("comm_type", std::int32_t{10}), "error 0 0 attribute-out-of-range");
    EXPECT_EQ(code("duration_ns", std::int64_t{-5}), "error 0 0 attribute-out-of-range");
    EXPECT_EQ(code("comm_size", std::uint64_t{64}), "");  // any integer will do
    EXPECT_EQ(code("is_cpu_op", std::int32_t{0}), "");
    EXPECT_EQ(code("outputs", std::vector<std::string>{"t"}), "error 0 0 attribute-out-of-range");
    EXPECT_EQ(code("outputs", std::vector<std::string>{"t", "256.0"}), "");
    EXPECT_EQ(code("outputs", std::monostate()), "");
}

TEST_F(Validation, AttributesThatContradict) {
    Node twice = compute(0);
    twice.attributes = {{"num_ops", std::int64_t{1}}, {"num_ops", std::int64_t{2}}};
    EXPECT_THAT(lines(validate({{twice}})), ElementsAre("error 0 0 contradictory-attribute"));
    twice.attributes = {{"scope", std::int64_t{1}}, {"scope", std::int64_t{2}}};
    EXPECT_THAT(lines(validate({{twice}})), ElementsAre("warning 0 0 contradictory-attribute"));
    twice.attributes = {{"num_ops", std::int64_t{1}}, {"num_ops", std::int64_t{1}}};
    EXPECT_THAT(lines(validate({{twice}})), IsEmpty());
}

TEST_F(Validation, RanksOfMessages) {
    Node wrong = send(0, 1);
    wrong.set_int32("comm_src", 1);
    EXPECT_THAT(lines(validate({{wrong}, {receive(0, 0)}})), ElementsAre("error 0 0 wrong-rank"));
    EXPECT_THAT(lines(validate({{send(0, 0)}, {}})),
                ElementsAre("error 0 0 self-message", "info 1 - empty-trace"));
    EXPECT_THAT(lines(validate({{receive(0, 2)}, {compute(0)}})),
                ElementsAre("error 0 0 absent-peer"));
    EXPECT_THAT(lines(validate_alone({receive(0, 2)})), IsEmpty());
}

// A workload in which no rank has anything to do, which simulate refuses.
TEST_F(Validation, AWorkloadWithoutWork) {
    Node metadata = compute(0);
    metadata.type = NodeType::Metadata;
    EXPECT_THAT(lines(validate({{}, {}})),
                UnorderedElementsAre("error - - empty-trace", "info 0 - empty-trace",
                                     "info 1 - empty-trace"));
    EXPECT_THAT(lines(validate({{metadata}, {metadata}})), ElementsAre("error - - empty-trace"));
    EXPECT_THAT(lines(validate({{metadata}, {compute(0)}})), IsEmpty());
    EXPECT_THAT(lines(validate_alone({metadata})), IsEmpty());
}

TEST_F(Validation, SizesOfCollectives) {
    EXPECT_THAT(lines(validate({{all_reduce(0, 0)}})),
                ElementsAre("warning 0 0 zero-size-collective"));
    EXPECT_THAT(lines(validate({{collective(0, CollectiveType::Barrier, 0)}})), IsEmpty());
    EXPECT_THAT(
        lines(validate({{collective(0, CollectiveType::AllGather, largest_comm_size)},
                        {collective(0, CollectiveType::AllGather, largest_comm_size)}})),
        ElementsAre("error 0 0 attribute-out-of-range", "error 1 0 attribute-out-of-range"));
}

TEST_F(Validation, UnequalAllToAll) {
    const auto with = [](std::int64_t bytes, std::vector<std::int64_t> sizes) {
        Node node = collective(0, CollectiveType::AllToAll, bytes);
        node.set("comm_sizes", std::move(sizes));
        return node;
    };
    EXPECT_THAT(lines(validate({{with(5, {2, 3})}, {with(9, {9, 0})}})), IsEmpty());
    EXPECT_THAT(lines(validate({{with(5, {2, 2})}, {with(9, {9, 0})}})),
                ElementsAre("error 0 0 attribute-out-of-range"));
    EXPECT_THAT(lines(validate({{with(5, {5})}, {with(9, {9, 0})}})),
                ElementsAre("error 0 0 attribute-out-of-range"));
    EXPECT_THAT(lines(validate({{with(5, {2, 3})}, {collective(0, CollectiveType::AllToAll, 5)}})),
                ElementsAre("error 1 0 collective-mismatch"));
}

TEST_F(Validation, Groups) {
    EXPECT_THAT(lines(validate({{all_reduce(0, 8, "7")}, {compute(0)}}, R"({"1": [0, 1]})")),
                ElementsAre("error 0 0 unknown-group"));
    EXPECT_THAT(lines(validate({{all_reduce(0, 8, "1")}, {compute(0)}}, R"({"1": [1], "2": [0]})")),
                ElementsAre("error 0 0 not-a-member"));
    EXPECT_THAT(lines(validate({{compute(0)}}, R"({"1": [0, 1]})")),
                ElementsAre("error - - absent-rank"));
    EXPECT_THAT(lines(validate_alone({compute(0)}, R"({"1": [0, 1], "2": [3, 4]})")),
                ElementsAre("info - - absent-rank"));
    EXPECT_THAT(lines(validate({{compute(0)}}, "{")), ElementsAre("error - - malformed-groups"));
    EXPECT_THAT(lines(validate({{all_reduce(0, 8, "1")}})),
                ElementsAre("info 0 - unchecked-groups"));

    Node both = all_reduce(0, 8, "1");
    both.set_int32("comm_group", 2);
    EXPECT_THAT(lines(validate({{both}}, R"({"1": [0]})")),
                ElementsAre("error 0 0 contradictory-group"));
    Node old = all_reduce(0);
    old.set_int32("comm_group", 2);
    EXPECT_THAT(lines(validate({{old}})), ElementsAre("warning 0 0 ignored-group"));

    Node rooted = collective(0, CollectiveType::Broadcast, 8, "1");
    rooted.set_int32("comm_root", 1);
    EXPECT_THAT(lines(validate({{rooted}, {compute(0)}}, R"({"1": [0], "2": [1]})")),
                ElementsAre("error 0 0 not-a-member"));
}

// A file of groups for another workload; who does nothing needs no group, and part of a workload
// proves nothing.
TEST_F(Validation, RanksInNoGroup) {
    const Nodes busy{compute(0)};
    const std::string groups = R"({"1": [0, 1]})";
    const auto found = validate({busy, busy, {}, busy, busy}, groups);
    EXPECT_THAT(lines(found), ElementsAre("info 2 - empty-trace", "warning - - ungrouped-rank"));
    EXPECT_THAT(message_of(found, 1), HasSubstr("rank 3 and 1 more are in no group"));
    EXPECT_THAT(lines(validate({busy, busy}, groups)), IsEmpty());
    EXPECT_THAT(lines(validate({busy, busy}, "{}")), IsEmpty());
    ValidationInput part = input_of({busy, busy, busy}, groups);
    part.whole_workload = false;
    EXPECT_THAT(lines(validate_traces(part)), IsEmpty());
}

// Where a writer began, nothing was lost.
TEST_F(Validation, EmptyTraces) {
    const auto alone = [&](const std::filesystem::path& path) {
        ValidationInput input;
        input.traces.push_back({path, Rank(0)});
        return lines(validate_traces(input));
    };
    EXPECT_THAT(alone(folder_.write("none.0.et", "")), ElementsAre("warning 0 - empty-trace"));
    const std::string gzip_of_nothing("\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0", 20);
    EXPECT_THAT(alone(folder_.write("none.0.et.gz", gzip_of_nothing)),
                ElementsAre("warning 0 - empty-trace"));
    EXPECT_THAT(alone(folder_.write("none.0.json", R"({"workload_graph": []})")),
                ElementsAre("info 0 - empty-trace"));
    EXPECT_THAT(lines(validate_alone({})), ElementsAre("info 0 - empty-trace"));
}

TEST_F(Validation, UnmatchedMessagesNameTheNearestMiss) {
    const auto tags = validate({{send(0, 1, 8, 5)}, {receive(0, 0, 8, 6)}});
    EXPECT_THAT(lines(tags),
                ElementsAre("error 0 0 unmatched-send", "error 1 0 unmatched-receive"));
    EXPECT_THAT(message_of(tags), HasSubstr("nearest: node 0 of rank 1 awaits 8 bytes with tag 6"));
    const auto ranks = validate({{send(0, 1)}, {compute(0)}, {receive(4, 0)}});
    EXPECT_THAT(message_of(ranks), HasSubstr("nearest: node 4 of rank 2 awaits"));
    const auto lonely = validate({{send(0, 1)}, {compute(0)}});
    EXPECT_THAT(message_of(lonely), ::testing::Not(HasSubstr("nearest")));
    EXPECT_THAT(lines(validate({{send(0, 1, 8)}, {receive(3, 0, 9)}})),
                ElementsAre("error 1 3 message-size-mismatch"));
}

// Messages of a channel meet in trace order, which is not the order of the file.
TEST_F(Validation, MessagesMeetInTraceOrder) {
    Node late = send(1, 1, 8);
    late.data_deps = {2};
    EXPECT_THAT(lines(validate({{late, send(2, 1, 16)}, {receive(0, 0, 16), receive(1, 0, 8)}})),
                IsEmpty());
}

TEST_F(Validation, CollectivesMustAgree) {
    const auto sizes = validate({{all_reduce(0), all_reduce(1, 8)},
                                 {all_reduce(0), all_reduce(5, 9)},
                                 {all_reduce(0), all_reduce(1, 8)}});
    EXPECT_THAT(lines(sizes), ElementsAre("error 1 5 collective-mismatch"));
    EXPECT_THAT(message_of(sizes),
                AllOf(HasSubstr("collective 2 of all ranks"), HasSubstr("9 bytes (node 5)"),
                      HasSubstr("8 bytes (node 1)")));
    EXPECT_THAT(lines(validate({{all_reduce(0)}, {compute(0)}}, "")),
                ElementsAre("error 1 - collective-mismatch"));
    EXPECT_THAT(lines(validate({{collective(0, CollectiveType::ReduceScatter, 8)},
                                {collective(0, CollectiveType::ReduceScatterBlock, 8)}})),
                IsEmpty());
    Node rooted = collective(0, CollectiveType::Broadcast, 8);
    Node same = rooted;
    same.set_int32("comm_root", 0);  // which it has anyway
    EXPECT_THAT(lines(validate({{rooted}, {same}})), IsEmpty());
    same.set_int32("comm_root", 1);
    EXPECT_THAT(lines(validate({{rooted}, {same}})), ElementsAre("error 1 0 collective-mismatch"));
}

// Without the file, whoever names a communicator belongs to it; that is a guess.
TEST_F(Validation, CollectivesWithoutGroupFile) {
    EXPECT_THAT(lines(validate({{all_reduce(0, 8, "1")}, {all_reduce(0, 9, "1")}, {compute(0)}})),
                UnorderedElementsAre("info 0 - unchecked-groups", "info 1 - unchecked-groups",
                                     "warning 1 0 collective-mismatch"));
}

// The rest of the ranks is still checked, and what the lost part would have is not missed.
TEST_F(Validation, TruncatedTrace) {
    ValidationInput input =
        input_of({{compute(0, {5}), receive(1, 1), compute(5)}, {send(0, 0), compute(1, {1})}});
    const std::string bytes = bytes_of(input.traces[0].path);
    folder_.write("w.0.et", bytes.substr(0, bytes.size() - 2));
    const auto result = validate_traces(input);
    EXPECT_THAT(lines(result),
                ElementsAre("error 0 - malformed-trace", "error 1 1 self-dependency"));
    EXPECT_THAT(message_of(result), HasSubstr("frame 3 at byte"));
    EXPECT_EQ(result.nodes, 4U);
}

// Findings beyond the limit are counted, not kept.
TEST_F(Validation, CountsAreExact) {
    Nodes nodes;
    for (std::uint64_t id = 0; id < 3000; ++id) {
        nodes.push_back(compute(id, {id}));
    }
    const auto result = validate({nodes});
    EXPECT_EQ(result.findings.errors(), 3000U);
    EXPECT_EQ(result.findings.count(0, FindingCode::SelfDependency), 3000U);
    EXPECT_EQ(result.findings.findings().size(), FindingList::kept);
}

TEST(FindingCodes, NamesAreDifferentOnes) {
    std::set<std::string_view> names;
    for (std::size_t code = 0; code < finding_codes; ++code) {
        names.insert(name_of(static_cast<FindingCode>(code)));
    }
    EXPECT_EQ(names.size(), finding_codes);
    EXPECT_EQ(name_of(FindingCode::CollectiveMismatch), "collective-mismatch");
    EXPECT_EQ(name_of(FindingCode::AbsentRank), "absent-rank");
}

}  // namespace
}  // namespace npunet::chakra::validation_test

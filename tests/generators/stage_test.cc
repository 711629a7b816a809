// The stage dialect: against files of STAGE itself, byte for byte, and, for plans of which there
// are none, against closed forms of its operations and the rules of its numbering.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "chakra/files/trace_reader.h"
#include "generators/stage/resharding.h"
#include "generators/stage/stage_nodes.h"
#include "generators/stage/stage_workload.h"
#include "generators/workload_files.h"
#include "tests/support/counted_cases.h"
#include "tests/support/refusals.h"
#include "tests/support/shared_data.h"
#include "tests/support/stage_cases.h"
#include "tests/support/temporary_folder.h"

namespace npunet::generators {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;

/// The first node in which two traces differ, for the message.
std::string first_difference(const fs::path& expected, const fs::path& found) {
    chakra::TraceReader a(expected);
    chakra::TraceReader b(found);
    chakra::Node left;
    chakra::Node right;
    for (;;) {
        const bool more = a.next(left);
        if (more != b.next(right)) {
            return "one of them ends after " + left.name;
        }
        if (!more) {
            return "no node differs";
        }
        if (!(left == right)) {
            return left.name + ", here " + right.name;
        }
    }
}

void expect_equal_files(const fs::path& recorded, const fs::path& written) {
    EXPECT_EQ(bytes_of(recorded / "w.json"), bytes_of(written / "w.json"));
    std::size_t ranks = 0;
    for (;; ++ranks) {
        const std::string name = "w." + std::to_string(ranks) + ".et";
        if (!fs::exists(recorded / name)) {
            break;
        }
        EXPECT_TRUE(bytes_of(recorded / name) == bytes_of(written / name))
            << name << ": " << first_difference(recorded / name, written / name);
    }
    for (std::size_t rank = 0;
         ranks > 0 && fs::exists(written / ("w." + std::to_string(rank) + ".et")); ++rank) {
        EXPECT_LT(rank, ranks);
    }
}

// Groups of all recorded cases, traces of those whose traces were kept.
TEST(Stage, WritesTheFilesOfStageByteForByte) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::size_t compared = 0;
    for (const fs::path& recorded : test::stage_cases(NPUNET_SHARED_DIR)) {
        if (!fs::exists(recorded / "w.json")) {
            continue;
        }
        SCOPED_TRACE(recorded.filename().string());
        const test::TemporaryFolder folder;
        write_workload(generate(*test::stage_arguments(recorded)),
                       {folder.path(), "w.%d.et", "w.json"});
        expect_equal_files(recorded, folder.path());
        ++compared;
    }
    EXPECT_GE(compared, 21U);
    test::count_cases(compared);
}

StageArguments small_step() {
    StageArguments arguments;
    arguments.din = 96;
    arguments.dout = 160;
    arguments.dmodel = 64;
    arguments.dff = 256;
    arguments.head = 8;
    arguments.seq = 32;
    arguments.batch = 16;
    arguments.num_stacks = 3;
    return arguments;
}

/// All degrees up to 2, and pipelines of up to 5 stages.
std::vector<StageArguments> many_steps() {
    std::vector<StageArguments> steps;
    for (int bits = 0; bits < 32; ++bits) {
        for (const std::int64_t pp : {1, 2, 3, 5}) {
            StageArguments arguments = small_step();
            arguments.dp = 1 + (bits & 1);
            arguments.tp = 1 + (bits >> 1 & 1);
            arguments.sp = 1 + (bits >> 2 & 1);
            arguments.weight_sharded = (bits & 8) != 0;
            arguments.activation_recompute = (bits & 16) != 0;
            arguments.pp = pp;
            steps.push_back(arguments);
        }
    }
    return steps;
}

// Multiply-adds of the whole step, whatever the plan: each embedding 3 B S D V, for the output and
// two gradients; a layer 9 B S D^2 (three projections and their two gradients each),
// 6 B S^2 D (two products and their two gradients each) and 6 B S D F, and 28 B S D for two
// reshapes, six sums, and two norms and their gradients at 5 each. With recomputation 3 B S D^2 + B
// S^2 D + B S D F more. Weight updates are left out: replicas repeat them.
TEST(Stage, OperationsDoNotDependOnThePlan) {
    for (const StageArguments& a : many_steps()) {
        const std::int64_t tokens = a.batch * a.seq;
        std::int64_t layer = tokens * a.dmodel * (9 * a.dmodel + 6 * a.seq + 6 * a.dff + 28);
        if (a.activation_recompute) {
            layer += tokens * a.dmodel * (3 * a.dmodel + a.seq + a.dff);
        }
        const std::int64_t expected =
            3 * tokens * a.dmodel * (a.din + a.dout) + a.num_stacks * layer;
        std::int64_t found = 0;
        const GeneratedWorkload workload = generate(a);
        for (std::int32_t rank = 0; rank < workload.rank_count(); ++rank) {
            for (const NodeTemplate& node : workload.role_of(Rank(rank)).nodes) {
                found += node.name.find("@1_") == std::string::npos ? node.flops : 0;
            }
        }
        EXPECT_EQ(found, expected) << a.dp << a.tp << a.sp << a.pp << a.weight_sharded;
    }
}

// Ids are unique over all ranks, a rank's own ascend, and dependencies are on nodes of the rank.
TEST(Stage, IdsAreUniqueOverAllRanks) {
    for (const StageArguments& arguments : many_steps()) {
        const GeneratedWorkload workload = generate(arguments);
        std::set<std::uint64_t> all;
        for (std::int32_t rank = 0; rank < workload.rank_count(); ++rank) {
            std::set<std::uint64_t> own;
            const std::vector<chakra::Node> nodes = workload.nodes(Rank(rank));
            for (const chakra::Node& node : nodes) {
                EXPECT_TRUE(all.insert(node.id).second) << node.id;
                own.insert(node.id);
            }
            for (const chakra::Node& node : nodes) {
                for (const std::uint64_t on : node.data_deps) {
                    EXPECT_EQ(own.count(on), 1U) << node.name;
                }
                for (const std::uint64_t on : node.ctrl_deps) {
                    EXPECT_EQ(own.count(on), 1U) << node.name;
                }
            }
        }
    }
}

// Every send has its receive: the same pair of ranks, tag and size, and the next id.
TEST(Stage, EverySendHasItsReceive) {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    std::size_t messages = 0;
    for (const StageArguments& arguments : many_steps()) {
        std::map<Key, std::uint64_t> sends;
        std::map<Key, std::uint64_t> receives;
        const GeneratedWorkload workload = generate(arguments);
        for (std::int32_t rank = 0; rank < workload.rank_count(); ++rank) {
            for (const chakra::Node& node : workload.nodes(Rank(rank))) {
                if (node.type != chakra::NodeType::CommSend &&
                    node.type != chakra::NodeType::CommReceive) {
                    continue;
                }
                const bool sends_it = node.type == chakra::NodeType::CommSend;
                const Key key{sends_it ? rank : *node.integer("comm_src"),
                              sends_it ? *node.integer("comm_dst") : rank,
                              *node.integer("comm_tag"), *node.integer("comm_size")};
                EXPECT_TRUE((sends_it ? sends : receives).emplace(key, node.id).second);
            }
        }
        ASSERT_EQ(sends.size(), receives.size());
        for (const auto& [key, id] : sends) {
            ASSERT_EQ(receives.count(key), 1U);
            EXPECT_EQ(receives[key], id + 1);
        }
        messages += sends.size();
    }
    EXPECT_GT(messages, 0U);
}

// Members of a group call the same collectives of the same sizes in the same order.
TEST(Stage, MembersOfAGroupCallTheSameCollectives) {
    for (const StageArguments& arguments : many_steps()) {
        const GeneratedWorkload workload = generate(arguments);
        std::map<std::string, std::vector<std::string>> calls;  // by group and rank
        for (std::int32_t rank = 0; rank < workload.rank_count(); ++rank) {
            for (const chakra::Node& node : workload.nodes(Rank(rank))) {
                if (node.type == chakra::NodeType::CommCollective) {
                    calls[std::string(*node.text("pg_name")) + " " + std::to_string(rank)]
                        .push_back(node.name + std::to_string(*node.integer("comm_type")) + " " +
                                   std::to_string(*node.integer("comm_size")));
                }
            }
        }
        for (const RankGroup& group : workload.groups()) {
            for (const Rank member : group.ranks) {
                EXPECT_EQ(calls[group.id + " " + std::to_string(member.value())],
                          calls[group.id + " " + std::to_string(group.ranks[0].value())]);
            }
        }
    }
}

// Layers are dealt out: with two layers and four stages the input embedding is on stage 0, the
// layers on 1 and 2, the output embedding on 3. Ranks count stages as they first appear, both
// embeddings before the layers: 0, 3, 1, 2.
TEST(Stage, RanksCountStagesInTheOrderOfTheirFirstTensor) {
    StageArguments arguments = small_step();
    arguments.num_stacks = 2;
    arguments.pp = 4;
    const GeneratedWorkload workload = generate(arguments);
    std::vector<std::string> first;
    for (std::int32_t rank = 0; rank < 4; ++rank) {
        first.push_back(workload.nodes(Rank(rank)).front().name);
    }
    EXPECT_THAT(first, ::testing::ElementsAre("in_emb_y@0_COMP", "out_emb_y@0_COMP",
                                              "stack_0_mha_q@0_COMP", "stack_1_mha_q@0_COMP"));
}

// As STAGE writes them for two of each: dp is the fastest coordinate of a rank, the sequence the
// fastest of a group's number.
TEST(Stage, GroupsAreNumberedAsInStage) {
    StageArguments arguments = small_step();
    arguments.dp = arguments.tp = arguments.sp = arguments.pp = 2;
    const GeneratedWorkload workload = generate(arguments);
    std::vector<std::pair<std::int32_t, std::int32_t>> found;
    for (const RankGroup& group : workload.groups()) {
        EXPECT_EQ(group.id, std::to_string(found.size() + 1));
        found.emplace_back(group.ranks[0].value(), group.ranks[1].value());
    }
    found.resize(12);
    using Pair = std::pair<std::int32_t, std::int32_t>;
    EXPECT_THAT(found, ::testing::ElementsAre(Pair(0, 1), Pair(4, 5), Pair(2, 3), Pair(6, 7),
                                              Pair(8, 9), Pair(12, 13), Pair(10, 11), Pair(14, 15),
                                              Pair(0, 2), Pair(4, 6), Pair(1, 3), Pair(5, 7)));
}

// What a layout is turned into another one by, one symbol at a time.
TEST(Stage, CollectivesFollowFromTheSymbols) {
    using namespace stage_dialect;
    using chakra::CollectiveType;
    StageArguments arguments = small_step();
    arguments.dp = arguments.tp = arguments.sp = 2;
    const Dim split{Symbol::Dmodel, Symbol::Tp};
    const Dim other{Symbol::Head, Symbol::Tp};
    const Dim whole{Symbol::Dmodel};
    const auto types = [&](const Layout& made, const Shape& wanted) {
        std::vector<CollectiveType> list;
        for (const ReshardingStep& step : resharding(made, wanted, SplitSymbols(arguments))) {
            list.push_back(step.type);
        }
        return list;
    };
    using ::testing::ElementsAre;
    EXPECT_THAT(types({{split}, {}}, {whole}), ElementsAre(CollectiveType::AllGather));
    EXPECT_THAT(types({{split}, {}}, {other}), ElementsAre(CollectiveType::AllToAll));
    EXPECT_THAT(types({{whole}, {split}}, {split}), ElementsAre(CollectiveType::ReduceScatter));
    EXPECT_THAT(types({{whole}, {split}}, {whole}), ElementsAre(CollectiveType::AllReduce));
    EXPECT_THAT(types({{split}, {}}, {split}), ElementsAre());
    // A dimension over dp and sp counts as split over dp alone.
    const Dim shard{Symbol::Dmodel, Symbol::Dp, Symbol::Sp};
    EXPECT_THAT(types({{shard}, {}}, {whole}), ElementsAre(CollectiveType::AllGather));
    arguments.dp = 1;
    EXPECT_THAT(types({{shard}, {}}, {whole}), ElementsAre(CollectiveType::AllGather));
    arguments.sp = 1;
    EXPECT_THAT(types({{shard}, {}}, {whole}), ElementsAre());
}

TEST(Stage, NumbersAreWrittenAsPythonDoes) {
    using stage_dialect::python_float;
    EXPECT_EQ(python_float(0), "0.0");
    EXPECT_EQ(python_float(536870912), "536870912.0");
    EXPECT_EQ(python_float(9007199254740993), "9007199254740992.0");
    EXPECT_EQ(python_float(10000000000000000), "1e+16");
    EXPECT_EQ(python_float(123456789012345678), "1.2345678901234568e+17");
}

template <class Change>
std::string refusal_of(const Change& change) {
    StageArguments arguments = small_step();
    change(arguments);
    return test::message_of<InputError>([&] { return generate(arguments); });
}

TEST(Stage, RefusesWhatDoesNotWorkOut) {
    using A = StageArguments;
    using ::testing::AllOf;
    using ::testing::HasSubstr;
    EXPECT_THAT(refusal_of([](A& a) { a.dp = 3; }), AllOf(HasSubstr("3"), HasSubstr("--batch 16")));
    EXPECT_THAT(refusal_of([](A& a) { a.sp = 3; }), HasSubstr("--seq 32"));
    EXPECT_THAT(refusal_of([](A& a) { a.tp = 16; }), HasSubstr("--head 8"));
    EXPECT_THAT(refusal_of([](A& a) { a.head = 5; }), HasSubstr("--dmodel 64"));
    EXPECT_THAT(refusal_of([](A& a) { a.dff = 36, a.tp = 8; }), HasSubstr("--dff 36"));
    EXPECT_THAT(refusal_of([](A& a) { a.sp = 16, a.weight_sharded = true; }),
                HasSubstr("--dmodel / --head 8"));
    EXPECT_THAT(refusal_of([](A& a) { a.num_stacks = 1; }), HasSubstr("from 2"));
    EXPECT_THAT(refusal_of([](A& a) { a.pp = 6; }), HasSubstr("at most 5"));
    EXPECT_THAT(refusal_of([](A& a) { a.tp = 0; }), HasSubstr("--tp"));
    EXPECT_THAT(refusal_of([](A& a) { a.dp = a.tp = a.sp = 1024; }), HasSubstr("1048576"));
    EXPECT_THAT(refusal_of([](A& a) { a.din = 97, a.batch = a.seq = 1, a.dmodel = 8, a.tp = 8; }),
                HasSubstr("97 / 8 elements"));
    EXPECT_THAT(
        refusal_of([](A& a) { a.batch = a.seq = a.dmodel = a.dff = std::int64_t{1} << 31; }),
        HasSubstr("2^62"));
}

// A vocabulary that tp does not divide: tensors still have whole numbers of elements.
TEST(Stage, TakesVocabulariesThatTpDoesNotDivide) {
    EXPECT_EQ(refusal_of([](StageArguments& a) { a.din = a.dout = 97, a.tp = 4; }), "no error");
}

}  // namespace
}  // namespace npunet::generators

// Collectives and messages of several ranks: what meets what, and what is refused.
#include "generators/profiler/communication_matching.h"

#include <gmock/gmock.h>

#include "base/errors.h"
#include "kineto_text.h"
#include "profiles/profile_reader.h"
#include "tests/support/refusals.h"
#include "tests/support/runs.h"

namespace npunet::generators::profiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Matchings : public ProfileFiles {
protected:
    /// One collective after the other, 10 us each, of a rank.
    struct Calls {
        explicit Calls(int rank, int world) : text(rank, world) {}
        Calls& add(const std::string& arguments,
                   const std::string& name = "ncclDevKernel_Generic") {
            text.kernel(name, 20, at, 10, -1, arguments);
            at += 20;
            return *this;
        }
        KinetoText text;
        double at = 0;
    };

    void give(const Calls& calls) {
        const std::string name = fmt::format("rank_{}.json", graphs_.size());
        const profiles::EventTable table = profiles::read_profile(write(calls.text, name));
        graphs_.push_back(rank_graph(activity_of(table, nullptr), CpuModel::None));
    }
    [[nodiscard]] MatchedRun match(MatchingOptions options = {}) const {
        return match_communication(graphs_, options);
    }
    [[nodiscard]] std::string error(MatchingOptions options = {}) const {
        return test::message_of<InputError>([&] { (void)match(options); });
    }

    std::vector<RankGraph> graphs_;
};

// Rank lists name groups, whatever each process calls them; they are numbered in the order of their
// ranks.
TEST_F(Matchings, GroupsAreTheirRanks) {
    for (int rank = 0; rank < 4; ++rank) {
        const std::string pair = rank < 2 ? "[0, 1]" : "[2, 3]";
        give(Calls(rank, 4)
                 .add(collective("allreduce", 8, 8, "[0, 1, 2, 3]"))
                 .add(collective("_allgather_base", 4, 8, pair))
                 .add(collective("_reduce_scatter_base", 6, 3, pair)));
    }
    const MatchedRun run = match();
    EXPECT_THAT(run.warnings, IsEmpty());
    ASSERT_THAT(run.groups, SizeIs(3));
    EXPECT_THAT(run.groups.at("1"), ElementsAre(Rank(0), Rank(1)));
    EXPECT_THAT(run.groups.at("2"), SizeIs(4));
    EXPECT_THAT(run.groups.at("3"), ElementsAre(Rank(2), Rank(3)));
    EXPECT_EQ(run.meetings, 5);
    EXPECT_EQ(run.calls[3][0].group, "2");
    EXPECT_EQ(run.calls[3][0].comm_size, 32);
    EXPECT_EQ(run.calls[3][1].group, "3");
    EXPECT_EQ(run.calls[3][1].comm_size, 16);
    EXPECT_EQ(run.calls[3][2].comm_size, 24);
    EXPECT_EQ(run.calls[3][1].meeting, run.calls[2][1].meeting);
    EXPECT_NE(run.calls[3][1].meeting, run.calls[1][1].meeting);
    EXPECT_EQ(run.calls[3][2].before, 1) << "the group's collective before it is node 1";
}

// Profiles that begin and end at other collectives: those that all have meet by number.
TEST_F(Matchings, NumbersAlignProfilesThatWereCutElsewhere) {
    const auto numbered = [](int number) {
        return collective("allreduce", number, number, "[0, 1]", number);
    };
    give(Calls(0, 2).add(numbered(4)).add(numbered(5)).add(numbered(6)));
    give(Calls(1, 2).add(numbered(5)).add(numbered(6)).add(numbered(7)));
    const MatchedRun run = match();
    EXPECT_EQ(run.meetings, 2);
    EXPECT_EQ(run.calls[0][0].kind, MatchedCall::Kind::LeftOut);
    EXPECT_EQ(run.calls[0][1].meeting, run.calls[1][0].meeting);
    EXPECT_EQ(run.calls[1][2].kind, MatchedCall::Kind::LeftOut);
    EXPECT_THAT(run.warnings, ElementsAre(HasSubstr("2 collectives")));
}

TEST_F(Matchings, ANumberThatIsMissingBetweenOthersIsRefused) {
    const auto numbered = [](int number) {
        return collective("allreduce", 1, 1, "[0, 1]", number);
    };
    give(Calls(0, 2).add(numbered(4)).add(numbered(5)).add(numbered(6)));
    give(Calls(1, 2).add(numbered(4)).add(numbered(6)));
    EXPECT_THAT(error(), HasSubstr("rank_1.json"));
    EXPECT_THAT(error(), HasSubstr("no collective number 5"));
}

// Without numbers the k-th meets the k-th; what one has more at its end is left out.
TEST_F(Matchings, CountsAlignTheRest) {
    const std::string one = collective("allreduce", 1, 1, "[0, 1]");
    give(Calls(0, 2).add(one).add(one));
    give(Calls(1, 2).add(one));
    const MatchedRun run = match();
    EXPECT_EQ(run.meetings, 1);
    EXPECT_EQ(run.calls[0][1].kind, MatchedCall::Kind::LeftOut);
    EXPECT_THAT(run.warnings, ElementsAre(HasSubstr("1 collectives")));
}

TEST_F(Matchings, OtherTypesAndSizesAreRefused) {
    give(Calls(0, 2).add(collective("allreduce", 8, 8, "[0, 1]")));
    give(Calls(1, 2).add(collective("broadcast", 8, 8, "[0, 1]")));
    EXPECT_THAT(error(), HasSubstr("found BROADCAST; expected ALL_REDUCE, as rank 0 has it"));
    graphs_.pop_back();
    give(Calls(1, 2).add(collective("allreduce", 9, 9, "[0, 1]")));
    EXPECT_THAT(error(),
                HasSubstr("found ALL_REDUCE of 36 bytes; expected ALL_REDUCE of 32 bytes"));
}

TEST_F(Matchings, UnequalPartsTakeTheLargest) {
    give(Calls(0, 2).add(collective("_allgather_base", 8, 24, "[0, 1]")));
    give(Calls(1, 2).add(collective("_allgather_base", 16, 24, "[0, 1]")));
    const MatchedRun run = match();
    EXPECT_EQ(run.calls[0][0].comm_size, 64);
    EXPECT_EQ(run.calls[1][0].comm_size, 64);
    EXPECT_THAT(run.warnings, SizeIs(1));
}

TEST_F(Matchings, AllToAllsKeepTheirSplits) {
    const std::string splits = R"(, "In split size": "{}", "Out split size": "{}")";
    give(Calls(0, 2).add(collective("all_to_allv", 8, 3, "[0, 1]", -1,
                                    fmt::format(fmt::runtime(splits), "[2, 6]", "[2, 1]"))));
    give(Calls(1, 2).add(collective("all_to_allv", 4, 9, "[0, 1]", -1,
                                    fmt::format(fmt::runtime(splits), "[1, 3]", "[6, 3]"))));
    const MatchedRun run = match();
    EXPECT_THAT(run.calls[0][0].comm_sizes, ElementsAre(8, 24));
    EXPECT_EQ(run.calls[0][0].comm_size, 32);
    EXPECT_THAT(run.calls[1][0].comm_sizes, ElementsAre(4, 12));
    EXPECT_THAT(run.warnings, IsEmpty());
}

// Rank 0 sends 32 bytes and receives 12, rank 1 sends 16 and receives 36: of what a rank sends,
// 12/48 go to rank 0. The parts sum to what is sent.
TEST_F(Matchings, AllToAllsWithoutSplitsAreShared) {
    give(Calls(0, 2).add(collective("all_to_all", 8, 3, "[0, 1]")));
    give(Calls(1, 2).add(collective("all_to_all", 4, 9, "[0, 1]")));
    const MatchedRun run = match();
    EXPECT_THAT(run.calls[0][0].comm_sizes, ElementsAre(8, 24));
    EXPECT_THAT(run.calls[1][0].comm_sizes, ElementsAre(4, 12));
    EXPECT_THAT(run.warnings, ElementsAre(HasSubstr("share of what both send and receive: 1")));
}

std::string message(const std::string& kind, int elements, int source, int destination,
                    const std::string& ranks) {
    return collective(kind, elements, elements, ranks, -1,
                      fmt::format(R"(, "Src Rank": {}, "Dst Rank": {})", source, destination));
}

// Two messages from 0 to 1 and one back, numbered each way.
TEST_F(Matchings, MessagesMeetInOrder) {
    const std::string ranks = "[0, 1]";
    give(Calls(0, 2)
             .add(message("send", 4, 0, 1, ranks))
             .add(message("recv", 6, 1, 0, ranks))
             .add(message("send", 5, 0, 1, ranks)));
    give(Calls(1, 2)
             .add(message("recv", 4, 0, 1, ranks))
             .add(message("send", 6, 1, 0, ranks))
             .add(message("recv", 5, 0, 1, ranks)));
    const MatchedRun run = match();
    EXPECT_THAT(run.groups, IsEmpty());
    EXPECT_EQ(run.meetings, 3);
    for (const int call : {0, 2}) {
        const auto index = static_cast<std::size_t>(call);
        const MatchedCall& sent = run.calls[0][index];
        const MatchedCall& received = run.calls[1][index];
        EXPECT_EQ(sent.kind, MatchedCall::Kind::Send);
        EXPECT_EQ(received.kind, MatchedCall::Kind::Receive);
        EXPECT_EQ(sent.meeting, received.meeting);
        EXPECT_EQ(sent.tag, call / 2);
        EXPECT_EQ(received.tag, call / 2);
        EXPECT_EQ(received.source, Rank(0));
        EXPECT_EQ(received.destination, Rank(1));
        EXPECT_EQ(received.comm_size, 4 * (call == 0 ? 4 : 5));
    }
    EXPECT_EQ(run.calls[0][1].kind, MatchedCall::Kind::Receive);
    EXPECT_EQ(run.calls[0][1].tag, 0);
}

// In a pipeline of ranks 0 and 2 a peer "1" is no rank of the group: it is a place in it.
TEST_F(Matchings, PeersMayBePlacesInTheGroup) {
    const std::string ranks = "[0, 2]";
    give(Calls(0, 3).add(message("send", 4, 0, 1, ranks)));
    give(Calls(1, 3).add(collective("barrier", 0, 0, "[1]")));
    give(Calls(2, 3).add(message("recv", 4, 0, 1, ranks)));
    const MatchedRun run = match();
    EXPECT_EQ(run.calls[0][0].destination, Rank(2));
    EXPECT_EQ(run.calls[2][0].source, Rank(0));
}

TEST_F(Matchings, MessagesOfOtherSizesAreRefused) {
    give(Calls(0, 2).add(message("send", 4, 0, 1, "[0, 1]")));
    give(Calls(1, 2).add(message("recv", 5, 0, 1, "[0, 1]")));
    EXPECT_THAT(error(), HasSubstr("a receive of 20 bytes; expected 16"));
}

TEST_F(Matchings, MissingRanksAreRefusedOrLeftOut) {
    const std::string all = "[0, 1, 2]";
    give(Calls(0, 3).add(collective("_allgather_base", 4, 12, all)));
    give(Calls(2, 3)
             .add(collective("_allgather_base", 4, 12, all))
             .add(message("send", 4, 2, 1, all)));
    EXPECT_THAT(error(), HasSubstr("no profile of rank 1"));
    EXPECT_THAT(error(), HasSubstr("--missing-ranks leave-out"));
    MatchingOptions options;
    options.missing_left_out = true;
    const MatchedRun run = match(options);
    EXPECT_THAT(run.groups.at("1"), ElementsAre(Rank(0), Rank(1)));
    EXPECT_EQ(run.calls[1][0].kind, MatchedCall::Kind::Collective);
    EXPECT_EQ(run.calls[1][1].kind, MatchedCall::Kind::LeftOut);
    EXPECT_THAT(run.warnings,
                ElementsAre(HasSubstr("no profile of rank 1"), HasSubstr("other end")));
}

TEST_F(Matchings, WhatNothingNamesIsRefusedOrTakenAsComputation) {
    give(Calls(0, 1).add(R"("bytes": 1)"));
    EXPECT_THAT(error(), HasSubstr("--unknown-communication compute"));
    MatchingOptions options;
    options.unknown_as_compute = true;
    EXPECT_EQ(match(options).calls[0][0].kind, MatchedCall::Kind::Compute);
}

TEST_F(Matchings, SizesHaveToBeTold) {
    give(Calls(0, 1).add(R"("bytes": 1)", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
    EXPECT_THAT(error(), HasSubstr("whose size nothing tells"));
}

TEST_F(Matchings, AProfileIsOfAMemberOfItsGroups) {
    give(Calls(0, 3).add(collective("allreduce", 1, 1, "[1, 2]")));
    give(Calls(1, 3).add(collective("allreduce", 1, 1, "[1, 2]")));
    give(Calls(2, 3).add(collective("allreduce", 1, 1, "[1, 2]")));
    EXPECT_THAT(error(), HasSubstr("a group without rank 0"));
}

}  // namespace
}  // namespace npunet::generators::profiler
